// The facts that gather would make of a request, on a cluster where nothing is registered yet and no policy covers
// anything.

import {
  type CertificateSigningRequest,
  INSECURE_CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
} from "../../src/api/certificates/index.ts";
import { type Policy, readJoinPolicy } from "../../src/api/countersign/index.ts";
import type { JoinPolicySpec } from "../../src/api/countersign/join-policy.ts";
import type { Machine } from "../../src/api/foreign/index.ts";
import type { ApprovalFacts, ServingFacts } from "../../src/controller/judging/facts.ts";
import { readRequest } from "../../src/controller/judging/reading.ts";
import { START_MS } from "../fakes/clock.ts";

const NOT_ASKED = { kind: "NotRead", why: "nobody asked" } as const;

export function factsOf(csr: CertificateSigningRequest, changed: Partial<ApprovalFacts> = {}): ApprovalFacts {
  const { username = "", groups = [], signerName, usages, request, expirationSeconds } = csr.spec;
  return {
    nowMs: START_MS,
    csrUid: csr.metadata.uid ?? "",
    createdMs: Date.parse(csr.metadata.creationTimestamp ?? ""),
    expirationSeconds,
    signerName,
    usages,
    request: readRequest(request),
    servedSigners: [KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER, INSECURE_CLIENT_SIGNER],
    policy: undefined,
    brokenPolicies: [],
    requester: { username, groups },
    access: { kind: "Present", value: { right: "nodeclient", isAllowed: true } },
    node: { kind: "Absent" },
    claims: { kind: "Present", value: [] },
    machine: NOT_ASKED,
    holders: { kind: "Absent" },
    providerId: { kind: "Absent" },
    evidence: { kind: "Absent" },
    identity: { kind: "Absent" },
    standing: { kind: "Absent" },
    serving: servingFacts(),
    earlierRefusal: undefined,
    ...changed,
  };
}

export function servingFacts(changed: Partial<ServingFacts> = {}): ServingFacts {
  return {
    present: NOT_ASKED,
    resolved: new Map(),
    foreign: { kind: "Present", value: new Map() },
    disputed: new Map(),
    apiServer: { kind: "Absent" },
    ...changed,
  };
}

/** A policy in Enforce that says nothing else, and what is changed of it. */
export function aPolicy(spec: Partial<JoinPolicySpec> = {}): Policy {
  return readJoinPolicy({ metadata: { name: "test" }, spec: { mode: "Enforce", ...spec } });
}

/** A young Machine without a node, which expects the name worker-3. */
export function aMachine(changed: Partial<Machine> = {}): Machine {
  return {
    group: "cluster.x-k8s.io",
    namespace: "default",
    name: "machine-3",
    uid: "machine-3",
    createdMs: Date.parse("2026-01-01T00:00:00Z"),
    isDeleting: false,
    clusterName: "one",
    providerId: "aws:///eu-1a/i-3",
    nodeName: undefined,
    addresses: [
      { type: "InternalDNS", address: "worker-3" },
      { type: "InternalIP", address: "10.0.0.3" },
    ],
    isBootstrapReady: true,
    ...changed,
  };
}

export function foundMachine(changed: Partial<Machine> = {}): ApprovalFacts["machine"] {
  return { kind: "Present", value: { kind: "One", machine: aMachine(changed) } };
}
