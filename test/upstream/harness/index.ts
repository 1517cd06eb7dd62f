export type { CommandOptions, CommandResult } from "./command.ts";
export {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from "./control-plane.ts";
export { KUBELET_CSR_CONTROLLERS } from "./controller-manager.ts";
export { startEmbedded } from "./embedded.ts";
export { PAUSE_IMAGE } from "./image.ts";
export { type JoinedWorker, joinWithKubeadm, uploadKubeadmConfig } from "./kubeadm-join.ts";
export { type ClusterAddress, writeKubeconfig } from "./kubeconfig.ts";
export type { KubectlOptions } from "./kubectl.ts";
export { type KubeletOptions, type RunningKubelet, startKubelet } from "./kubelet.ts";
export { type KubemarkOptions, startKubemark } from "./kubemark.ts";
export { type RunningNode, waitForFreshLease } from "./node.ts";
export { type OurController, startOurController, startOurControllerProgram } from "./our-controller.ts";
export { type OurGateway, startOurGateway } from "./our-gateway.ts";
export { nodeFlags, type OurNode, type OurNodeOptions, startOurNode } from "./our-node.ts";
export type { KeyAlgorithm } from "./pki.ts";
export { startRealPlane } from "./plane.ts";
export { type ServerProcess, startProcess } from "./process.ts";
export { locateProgram, writePluginKubeconfig } from "./program.ts";
export { binaryOf } from "./releases.ts";
export { logInAsController, manifestPath } from "./service-account.ts";
export { subjectServedOn } from "./serving.ts";
export { type Answer, getAnonymously, type WaitOptions, waitFor } from "./wait.ts";
export { createWorkspace, type Workspace } from "./workspace.ts";
