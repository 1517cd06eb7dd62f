// NodeRestriction: a node writes only what is its own. For the kinds served here: nodes, leases, CSRs; everything else
// passes, because the node authorizer lets a node write nothing else but events.
// Behaviour of kubernetes/plugin/pkg/admission/noderestriction.

import {
  type CertificateSigningRequest,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  NODE_USER_PREFIX,
} from "../../api/certificates/index.ts";
import type { Node } from "../../api/core/index.ts";
import { CSRS, LEASES, NODES } from "../../api/meta/index.ts";
import { nodeNameOf } from "../authorization/node.ts";
import type { Attempt } from "../call.ts";
import { isSameJson } from "../verbs/same-json.ts";
import { parseRequestOf } from "./certificates.ts";
import { changedLabels, forbiddenLabels } from "./node-labels.ts";
import { type Plugin, refuse } from "./plugin.ts";

const NAME = "NodeRestriction";
const NODE_LEASES = "kube-node-lease";

export const nodeRestriction: Plugin = {
  name: NAME,
  phase: "before",
  judge: (attempt) => {
    const node = nodeNameOf(attempt.user);
    if (node === undefined) return undefined;
    const text =
      node === ""
        ? `could not determine node from user ${JSON.stringify(attempt.user.username)}`
        : problemOf(attempt, node);
    return text === undefined ? undefined : refuse(NAME, "NotOwnObject", text);
  },
};

function problemOf(attempt: Attempt, node: string): string | undefined {
  switch (attempt.resource) {
    case NODES:
      return nodeProblem(attempt, node);
    case LEASES:
      return leaseProblem(attempt, node);
    case CSRS:
      return csrProblem(attempt, node);
    default:
      return undefined;
  }
}

interface RestrictedNode extends Node {
  spec?: Node["spec"] & { readonly configSource?: unknown };
}

function nodeProblem(attempt: Attempt, node: string): string | undefined {
  const who = `node ${JSON.stringify(node)} is not allowed to`;
  if (attempt.name !== node) return `${who} modify node ${JSON.stringify(attempt.name)}`;
  const next = attempt.object as RestrictedNode | undefined;
  const current = attempt.current as RestrictedNode | undefined;
  if (attempt.operation === "CREATE") return newNodeProblem(next, who);
  return attempt.operation === "UPDATE" ? changedNodeProblem(next, current, who) : undefined;
}

function newNodeProblem(next: RestrictedNode | undefined, who: string): string | undefined {
  if (next?.spec?.configSource !== undefined) return `${who} create pods with a non-nil configSource`;
  const labels = forbiddenLabels(Object.keys(next?.metadata.labels ?? {}));
  return labels.length === 0 ? undefined : `${who} set the following labels: ${labels.join(", ")}`;
}

function changedNodeProblem(
  next: RestrictedNode | undefined,
  current: RestrictedNode | undefined,
  who: string,
): string | undefined {
  const source = next?.spec?.configSource;
  if (source !== undefined && !isSameJson(source, current?.spec?.configSource)) {
    return `${who} update configSource to a new non-nil configSource`;
  }
  if (!isSameJson(next?.spec?.taints ?? [], current?.spec?.taints ?? [])) return `${who} modify taints`;
  if (!isSameJson(next?.metadata.ownerReferences ?? [], current?.metadata.ownerReferences ?? [])) {
    return `${who} modify ownerReferences`;
  }
  const labels = forbiddenLabels(changedLabels(next?.metadata.labels ?? {}, current?.metadata.labels ?? {}));
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(", ")}`;
}

function leaseProblem({ operation, namespace, name, object }: Attempt, node: string): string | undefined {
  if (namespace !== NODE_LEASES) return `can only access leases in the "${NODE_LEASES}" system namespace`;
  const own = operation === "CREATE" ? (object?.metadata.name ?? "") : name;
  return own === node ? undefined : "can only access node lease with the same name as the requesting node";
}

/** Only the kubelet's own signers; what other signers may be asked for is their approver's business. */
function csrProblem({ operation, object }: Attempt, node: string): string | undefined {
  if (operation !== "CREATE") return undefined;
  const csr = object as CertificateSigningRequest;
  if (![KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER].includes(csr.spec?.signerName)) return undefined;
  const request = parseRequestOf(csr);
  if (request === undefined) return "unable to parse csr: PEM block type must be CERTIFICATE REQUEST";
  const wanted = `${NODE_USER_PREFIX}${node}`;
  return request.subject.commonName === wanted ? undefined : `can only create a node CSR with CN=${wanted}`;
}
