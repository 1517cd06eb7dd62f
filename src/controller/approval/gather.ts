// A request → facts: all reads of approval. The request comes from the cache, because its approval is guarded by
// resourceVersion; the Node is read live, because nothing guards a decision against a Node cache that lags behind; the
// claims come from an index that is never behind our own approvals (claims.ts).

import { type CertificateSigningRequest, nodeNameOf, VERDICT_ANNOTATION } from "../../api/certificates/index.ts";
import { type KubeObject, NODES } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Claims } from "./claims.ts";
import type { ApprovalFacts, RequestReading, Seen } from "./facts.ts";
import { bootstrapTokenId } from "./identity.ts";
import { parseVerdict } from "./record.ts";
import { NAME_IS_TAKEN } from "./rules/node-is-not-registered-yet.ts";

export interface GatherOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly claims: Claims;
  readonly servedSigners: readonly string[];
  /** False while the first list of requests or Nodes is not complete: then an absent thing may only be unseen. */
  readonly hasSynced: () => boolean;
}

export interface Judged {
  readonly csr: CertificateSigningRequest;
  readonly reading: RequestReading;
}

export async function gather(
  options: GatherOptions,
  { csr, reading }: Judged,
  signal: AbortSignal,
): Promise<ApprovalFacts> {
  const { clock, servedSigners } = options;
  const { username = "", groups = [], uid, extra, signerName, usages } = csr.spec;
  const requester = {
    username,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
  const isFirst = servedSigners.includes(signerName) && bootstrapTokenId(requester) !== undefined;
  const nodeName = wantedNode(reading);
  const node = await seeNode(options, isFirst ? nodeName : undefined, signal);
  return {
    nowMs: clock.now(),
    csrUid: csr.metadata.uid ?? "",
    signerName,
    usages,
    request: reading,
    servedSigners,
    requester,
    node,
    // After the Node, without a pause in between: an approval in the meantime is in here.
    claims: isFirst && node.kind === "NotRead" ? node : seeClaims(options, nodeName),
    earlierRefusal: refusedForItsName(csr),
  };
}

function seeClaims({ claims, hasSynced }: GatherOptions, nodeName: string | undefined): ApprovalFacts["claims"] {
  if (!hasSynced()) return { kind: "NotRead", why: UNSYNCED };
  return { kind: "Present", value: claims.of(nodeName ?? "") };
}

function refusedForItsName(csr: CertificateSigningRequest): ApprovalFacts["earlierRefusal"] {
  const recorded = parseVerdict(csr.metadata.annotations?.[VERDICT_ANNOTATION] ?? "");
  const isForName = recorded?.verdict === "Deny" && NAME_IS_TAKEN.includes(recorded.reason);
  return isForName ? { reason: recorded.reason, message: recorded.message } : undefined;
}

const UNSYNCED = "the lists of requests and nodes are not complete yet";

/** The node name that a readable request asks for. */
export function wantedNode(reading: RequestReading): string | undefined {
  return reading.kind === "Readable" ? nodeNameOf(reading.request.subject.commonName) : undefined;
}

async function seeNode(
  { client, hasSynced }: GatherOptions,
  name: string | undefined,
  signal: AbortSignal,
): Promise<Seen<{ uid: string }>> {
  if (name === undefined) return { kind: "NotRead", why: "no node name to look for" };
  if (!hasSynced()) return { kind: "NotRead", why: UNSYNCED };
  try {
    const node = await client.get<KubeObject>(NODES, { name }, { signal });
    return { kind: "Present", value: { uid: node.metadata.uid ?? "" } };
  } catch (error) {
    if (isFault(error, "not-found")) return { kind: "Absent" };
    throw error;
  }
}
