// Whoever can serve under the API server's name can stand between it and everybody else, and the CA of serving certificates is
// the one by which clients know the API server. The names and addresses of its Service are no node's at all. The host behind it
// is a control-plane node's own, by a word that the node cannot give itself: a kubelet writes the addresses of its own Node, but
// neither its Machine nor, under NodeRestriction, the label of a control plane.

import { nodeNameOf } from "../../../../api/certificates/index.ts";
import { canonicalDns, matchesName, type Policy } from "../../../../api/countersign/index.ts";
import type { ApiServerNames, ApprovalFacts } from "../../facts.ts";
import { addressesOfMachine, addressesOfNode } from "../../known-addresses.ts";
import {
  type Finding,
  notYet,
  pass,
  RETRY_SLOWLY_MS,
  RETRY_UNREAD_MS,
  type Rule,
  refuse,
  UNREADABLE_REASONS,
  withRequest,
} from "../rule.ts";

/** With whatever domain the cluster has behind it. */
const SERVICE_NAME = /^kubernetes(\.default(\.svc(\..+)?)?)?$/;
const NOTHING: ApiServerNames = { service: new Set(), hosts: new Set() };

export const namesAreNotTheApiServers: Rule<ApprovalFacts> = {
  id: "names-are-not-the-api-servers",
  sentence: "no name or address is that of the API server, unless the node is known to be its host",
  reasons: [
    ...UNREADABLE_REASONS,
    ...["ApiServerIsNotRead", "ApiServerNameRequested", "ApiServerAddressRequested", "HostIsNotKnownYet"],
  ],
  judge: withRequest(({ subject, subjectAltNames }, facts) => {
    const { apiServer } = facts.serving;
    if (apiServer.kind === "NotRead") return notYet("ApiServerIsNotRead", apiServer.why, RETRY_UNREAD_MS);
    const known = apiServer.kind === "Present" ? apiServer.value : NOTHING;
    const { dnsNames = [], ipAddresses = [] } = subjectAltNames ?? {};
    const names = [...dnsNames.map(canonicalDns), ...ipAddresses];
    const service = names.find((name) => SERVICE_NAME.test(name) || known.service.has(name));
    if (service !== undefined) {
      const text = `${JSON.stringify(service)} is of the Service of the API server, and no node's`;
      return refuse("ApiServerNameRequested", text);
    }
    const host = names.find((name) => known.hosts.has(name) && !isOwn(name, nodeNameOf(subject.commonName), facts));
    return host === undefined ? pass() : judgeHost(host, facts);
  }),
};

/** By the infrastructure, by the label that only an administrator sets, or by the policy's own list. */
function isOwn(name: string, nodeName: string | undefined, { machine, node, policy }: ApprovalFacts): boolean {
  const given = addressesOfMachine(machine);
  if (given.kind === "Present" && given.value.has(name)) return true;
  if (policy !== undefined && isListed(name, nodeName ?? "", policy)) return true;
  const said = addressesOfNode(node);
  return node.kind === "Present" && node.value.isControlPlane && said.kind === "Present" && said.value.has(name);
}

function isListed(name: string, nodeName: string, { serving: { inventory } }: Policy): boolean {
  return inventory.allow.some(
    ({ nodeNames, names }) => matchesName(nodeNames, nodeName) && names.map(canonicalDns).includes(name),
  );
}

/** A Machine whose addresses come late may still be the host: nothing transient becomes a refusal. */
function judgeHost(name: string, { machine, policy }: ApprovalFacts): Finding {
  const text = `the API server is reached at ${JSON.stringify(name)}, and neither the node's Machine nor the label of a control plane says that it is the node's`;
  const given = addressesOfMachine(machine);
  if (policy?.serving.inventory.machineAddresses === true && given.kind === "NotRead")
    return notYet("HostIsNotKnownYet", `${text}; but ${given.why}`, RETRY_SLOWLY_MS);
  return refuse("ApiServerAddressRequested", text);
}
