// The Event that tells people why a request is refused or waits. Its name is made of what it says, so that saying the
// same thing again, by a second worker or after a restart, meets `already-exists` instead of filling the namespace. Pure.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Event } from "../../api/core/index.ts";
import { encodeHex, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import type { Verdict } from "../../kernel/outcome/index.ts";

export const CONTROLLER_NAME = "node-attestation-controller";

/** Events about cluster-scoped objects live here; the API server refuses every other namespace but kube-system. */
export const EVENT_NAMESPACE = "default";

/** 64 bits: two different sentences about one request do not meet. */
const DIGEST_BYTES = 8;

export interface EventOptions {
  readonly nowMs: number;
  /** Which replica speaks. */
  readonly instance: string;
}

export function buildEvent(csr: CertificateSigningRequest, verdict: Verdict, options: EventOptions): Event {
  const at = new Date(options.nowMs).toISOString().replace(/\.\d+Z$/, "Z");
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { namespace: EVENT_NAMESPACE, name: eventName(csr, verdict) },
    involvedObject: {
      apiVersion: csr.apiVersion,
      kind: csr.kind,
      name: csr.metadata.name ?? "",
      uid: csr.metadata.uid ?? "",
    },
    reason: verdict.reason,
    message: `${verdict.rule}: ${verdict.message}`,
    type: "Warning",
    source: { component: CONTROLLER_NAME },
    reportingComponent: CONTROLLER_NAME,
    reportingInstance: options.instance,
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
}

/** A request's name may hold what an Event's may not (spaces, colons, upper case), so only its uid goes in. */
function eventName(csr: CertificateSigningRequest, { kind, rule, reason, message }: Verdict): string {
  const said = [csr.metadata.uid ?? "", kind, rule, reason, message].join("\n");
  return `csr-verdict.${encodeHex(sha256(encodeUtf8(said)).subarray(0, DIGEST_BYTES))}`;
}
