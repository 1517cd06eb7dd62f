// The cluster around a request, as approval sees it: empty unless told otherwise.

import type { CertificateSigningRequest } from "../../src/api/certificates/index.ts";
import type { Node } from "../../src/api/core/index.ts";
import { matchesName, type Policy } from "../../src/api/countersign/index.ts";
import type { AccessReviews } from "../../src/controller/judging/access.ts";
import type { MachineMatch } from "../../src/controller/judging/facts.ts";
import type { IdentityReader, Network, Surroundings } from "../../src/controller/judging/look.ts";
import type { Seen } from "../../src/kernel/outcome/index.ts";

export interface ClusterAround {
  readonly nodes?: readonly Node[];
  readonly machine?: Seen<MachineMatch>;
  readonly policy?: Policy;
  readonly pending?: readonly CertificateSigningRequest[];
}

export function surroundingsOf({ nodes = [], machine, policy, pending = [] }: ClusterAround = {}): Surroundings {
  return {
    getNode: (name) => nodes.find(({ metadata }) => metadata.name === name),
    nodesNamed: (name) =>
      nodes.filter(
        ({ metadata, status }) =>
          metadata.name === name || status?.addresses?.some(({ address }) => address === name) === true,
      ),
    nodesOfProvider: (providerId) => nodes.filter(({ spec }) => spec?.providerID === providerId),
    countNodes: () => nodes.length,
    pendingOf: (username) => pending.filter(({ spec }) => spec.username === username),
    machines: { find: () => machine ?? { kind: "Absent" }, ownersOf: () => new Map(), count: () => 0 },
    policies: {
      of: (_, nodeName) => (isCovered(policy, nodeName) ? policy : undefined),
      hasShadow: () => policy?.mode === "Shadow",
      broken: () => [],
    },
  };
}

function isCovered(policy: Policy | undefined, nodeName: string | undefined): boolean {
  const pattern = policy?.nodeNames;
  return pattern === undefined || (nodeName !== undefined && matchesName(pattern, nodeName));
}

/** An authorizer that allows what kubeadm binds: bootstrappers a first certificate, nodes their own. */
export function kubeadmAccess(): AccessReviews {
  return {
    ask: async (right, { groups }) => ({
      right,
      isAllowed: groups.includes(right === "nodeclient" ? "system:bootstrappers" : "system:nodes"),
    }),
  };
}

/** Nobody was ever attested or enrolled. */
export const noIdentities: IdentityReader = async () => ({ kind: "Absent" });

export const noNetwork: Network = {
  presentNames: async () => ({ kind: "NotRead", why: "no network here" }),
  resolve: async () => ({ kind: "NotRead", why: "no network here" }),
  apiServer: async () => ({ kind: "Absent" }),
};
