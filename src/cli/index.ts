// The `countersign` program: every command it has, in the order of its help. A command's code is loaded when it is
// called, so that listing tokens does not load an API server.

import { VERSION } from "../platform/process/index.ts";
import type { Program } from "./program.ts";

export { runProgram } from "./program.ts";

export const countersign: Program = {
  name: "countersign",
  version: VERSION,
  summary: "the node identity plane for Kubernetes: every machine proves what it is before a certificate is signed",
  groups: {
    node: "this machine as a node: join, keep its certificates fresh, find out what is wrong",
    token: "bootstrap tokens: make, list, show and revoke them",
    csr: "certificate requests: list them, explain their verdicts, decide by hand",
    policy: "join policies: see what one would change before it is in force",
    discovery: "where a cluster is and whom to trust there",
    audit: "the controller's audit trail: check, show and follow it",
    identity: "what is known of each node's machine: enroll, show, reset, retire, revoke",
    provider: "attestation providers: begin a new one",
  },
  commands: [
    {
      path: ["demo"],
      summary: "show one join from end to end: a cluster, two nodes, an impostor",
      load: async () => (await import("./commands/cluster/demo.ts")).clusterDemo,
    },
    {
      path: ["up"],
      summary: "run a control plane in this process: API server, storage and controller",
      load: async () => (await import("./commands/cluster/up.ts")).clusterUp,
    },
    {
      path: ["node", "join"],
      summary: "join this machine to a cluster: find it, trust it, ask for a certificate, keep it",
      load: async () => (await import("./commands/node/join.ts")).nodeJoin,
    },
    {
      path: ["node", "status"],
      summary: "show the certificate of this node and the cluster it has joined",
      load: async () => (await import("./commands/node/status.ts")).nodeStatus,
    },
    {
      path: ["node", "tpm"],
      summary: "show the hash of this machine's endorsement key, with which an operator enrols it",
      load: async () => (await import("./commands/node/tpm.ts")).nodeTpm,
    },
    {
      path: ["node", "doctor"],
      summary: "say what is wrong with this node, and what to do about it",
      load: async () => (await import("./commands/node/doctor.ts")).nodeDoctor,
    },
    {
      path: ["node", "leave"],
      summary: "forget the cluster: remove key, certificate and kubeconfigs of this node",
      load: async () => (await import("./commands/node/leave.ts")).nodeLeave,
    },
    {
      path: ["node", "run"],
      summary: "keep this node's certificates fresh, for a kubelet that reads them from files",
      load: async () => (await import("./commands/node/run.ts")).nodeRun,
    },
    {
      path: ["node", "renew"],
      summary: "get this node's next certificate now, without waiting for the daemon or the plugin",
      load: async () => (await import("./commands/node/renew.ts")).nodeRenew,
    },
    {
      path: ["token", "create"],
      summary: "make a bootstrap token with which machines can ask to join",
      load: async () => (await import("./commands/token/create.ts")).tokenCreate,
    },
    {
      path: ["token", "generate"],
      summary: "print a new bootstrap token without storing it anywhere",
      load: async () => (await import("./commands/token/generate.ts")).tokenGenerate,
    },
    {
      path: ["token", "list"],
      summary: "list the bootstrap tokens of a cluster, without their secrets",
      load: async () => (await import("./commands/token/list.ts")).tokenList,
    },
    {
      path: ["token", "show"],
      summary: "show one bootstrap token with its secret",
      load: async () => (await import("./commands/token/show.ts")).tokenShow,
    },
    {
      path: ["token", "revoke"],
      summary: "end a bootstrap token now; as kubeadm token delete",
      load: async () => (await import("./commands/token/revoke.ts")).tokenRevoke,
    },
    {
      path: ["csr", "list"],
      summary: "list certificate requests, each with the reason of its state",
      load: async () => (await import("./commands/csr/list.ts")).csrList,
    },
    {
      path: ["csr", "explain"],
      summary: "say why a certificate request was approved, refused or is waiting",
      load: async () => (await import("./commands/csr/explain.ts")).csrExplain,
    },
    {
      path: ["csr", "approve"],
      summary: "approve certificate requests by hand",
      load: async () => (await import("./commands/csr/approve.ts")).csrApprove,
    },
    {
      path: ["csr", "deny"],
      summary: "deny certificate requests by hand",
      load: async () => (await import("./commands/csr/deny.ts")).csrDeny,
    },
    {
      path: ["identity", "list"],
      summary: "list the nodes that proved what they are, and those that were enrolled",
      load: async () => (await import("./commands/identity/list.ts")).identityList,
    },
    {
      path: ["identity", "show"],
      summary: "show what is pinned for a node, its exchanges and its certificates",
      load: async () => (await import("./commands/identity/show.ts")).identityShow,
    },
    {
      path: ["identity", "enroll"],
      summary: "say beforehand that a node may join, and with which TPM",
      load: async () => (await import("./commands/identity/enroll.ts")).identityEnroll,
    },
    {
      path: ["identity", "reset"],
      summary:
        "open a node's pins for one join within the hour: after a new board or TPM, or a TPM whose clock went back",
      load: async () => (await import("./commands/identity/reset.ts")).identityReset,
    },
    {
      path: ["identity", "retire"],
      summary: "the machine is gone for good: its certificates are not renewed, its TPM is free for another node",
      load: async () => (await import("./commands/identity/retire.ts")).identityRetire,
    },
    {
      path: ["identity", "revoke"],
      summary: "nothing for this node any more, and its TPM is on the deny list until it is lifted",
      load: async () => (await import("./commands/identity/revoke.ts")).identityRevoke,
    },
    {
      path: ["policy", "test"],
      summary: "show what a changed JoinPolicy would do to the requests there are; nothing is written",
      load: async () => (await import("./commands/policy/test.ts")).policyTest,
    },
    {
      path: ["discovery", "show"],
      summary: "show where a cluster is and whom to trust there: as it is found now, or as it was found before",
      load: async () => (await import("./commands/discovery/show.ts")).discoveryShow,
    },
    {
      path: ["discovery", "verify"],
      summary: "look at every address and every root of a cluster, one by one",
      load: async () => (await import("./commands/discovery/verify.ts")).discoveryVerify,
    },
    {
      path: ["discovery", "refresh"],
      summary: "keep what is known of a cluster up to date, by any way that still holds",
      load: async () => (await import("./commands/discovery/refresh.ts")).discoveryRefresh,
    },
    {
      path: ["discovery", "kubeconfig"],
      summary: "write a kubeconfig for kubectl, or the document for other machines",
      load: async () => (await import("./commands/discovery/kubeconfig.ts")).discoveryKubeconfig,
    },
    {
      path: ["audit", "verify"],
      summary: "say whether an audit trail is whole",
      load: async () => (await import("./commands/audit/verify.ts")).auditVerify,
    },
    {
      path: ["audit", "show"],
      summary: "print what an audit trail says about a request, a node or an event",
      load: async () => (await import("./commands/audit/show.ts")).auditShow,
    },
    {
      path: ["audit", "tail"],
      summary: "print the end of an audit trail and what comes",
      load: async () => (await import("./commands/audit/tail.ts")).auditTail,
    },
    {
      path: ["provider", "new"],
      summary: "write an attestation provider to start from: both ends, the plugin, a test that passes",
      load: async () => (await import("./commands/provider/new.ts")).providerNew,
    },
  ],
};
