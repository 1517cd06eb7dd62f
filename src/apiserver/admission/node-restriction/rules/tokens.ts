// ServiceAccount tokens: a node requests them for one pod that is bound to it, so that the token ends with the pod, and
// only for an audience that the pod itself asks for.

import { type KubeObject, PODS } from "../../../../api/meta/index.ts";
import { nodeOfPod, type PodWithReferences } from "../../../../authorizer/index.ts";
import type { Attempt } from "../../../call.ts";
import { missing, type NodeWriter, type Objection, type WriteRule } from "./rule.ts";
import { audienceProblem } from "./token-audience.ts";

interface TokenRequest extends KubeObject {
  readonly spec?: {
    readonly audiences?: readonly string[];
    readonly boundObjectRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
}

export const tokenRequests: WriteRule = (attempt, writer) => {
  if (attempt.operation !== "CREATE" || attempt.subresource !== "token") return undefined;
  const { boundObjectRef: bound = {}, audiences = [] } = (attempt.object as TokenRequest | undefined)?.spec ?? {};
  const { apiVersion, kind, name = "", uid = "" } = bound;
  if (apiVersion !== "v1" || kind !== "Pod" || name === "") return "node requested token not bound to a pod";
  if (uid === "") return "node requested token with a pod binding without a uid";
  const pod = writer.questions.get(PODS, name, attempt.namespace);
  if (pod === undefined) return missing(PODS, name);
  return podProblem(pod, uid, writer.node) ?? audienceOf(attempt, pod, audiences, writer);
};

function podProblem(pod: PodWithReferences, uid: string, node: string): string | undefined {
  if (pod.metadata.uid !== uid) {
    const found = `the UID in the bound object reference (${uid}) does not match the UID in record`;
    return `${found}. The object might have been deleted and then recreated`;
  }
  return nodeOfPod(pod) === node ? undefined : "node requested token bound to a pod scheduled on a different node";
}

function audienceOf(
  attempt: Attempt,
  pod: PodWithReferences,
  audiences: readonly string[],
  writer: NodeWriter,
): Objection | undefined {
  const [audience = "", ...more] = audiences;
  if (more.length > 0) return "node may only request 0 or 1 audiences";
  return audienceProblem({ audience, pod, attempt, questions: writer.questions });
}
