// Somebody who holds a credential and asks for a node's certificate without proving anything: what becomes of the
// request.

import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  type CertificateSigningRequest,
  CLIENT_USAGES,
  findCondition,
  KUBELET_CLIENT_SIGNER,
  purposeOf,
} from "../../src/api/certificates/index.ts";
import { CSRS } from "../../src/api/meta/index.ts";
import { encodeBase64, encodeUtf8 } from "../../src/kernel/bytes/index.ts";
import { encodePem } from "../../src/kernel/pem/index.ts";
import { signCertificateRequest, subjectAltNameExtension } from "../../src/kernel/x509/index.ts";
import { generatePrivateKey } from "../../src/platform/keys/index.ts";
import type { KubeClient } from "../../src/platform/kube/index.ts";
import { patient } from "../patience.ts";

export interface Attack {
  /** Of the credential that was stolen. */
  readonly client: KubeClient;
  /** Looks at the request: its creator may not see all of it. */
  readonly admin: KubeClient;
  readonly nodeName: string;
  readonly signerName?: string;
  /** A person is talked into approving it. */
  readonly isApproved?: boolean;
  /** The outcome names the rule, too: two rules may give one reason. */
  readonly isRuleTold?: boolean;
  readonly limitMs?: number;
}

const SERVING_USAGES = ["digital signature", "key encipherment", "server auth"];
/** Long enough for every approver of the cluster to have looked; nothing that is refused takes as long. */
const LIMIT_MS = patient(15_000);

export function unprovenRequest(
  nodeName: string,
  signerName = KUBELET_CLIENT_SIGNER,
  key = generatePrivateKey("P-256"),
): CertificateSigningRequest {
  const isServing = purposeOf(signerName) === "NodeServing";
  const subject = { commonName: `system:node:${nodeName}`, organizations: ["system:nodes"] };
  const extensions = isServing ? [subjectAltNameExtension({ dnsNames: [nodeName] })] : [];
  const der = signCertificateRequest({ subject, extensions }, key.signer);
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: `attack-${randomUUID()}` },
    spec: {
      request: encodeBase64(encodeUtf8(encodePem("CERTIFICATE REQUEST", der))),
      signerName,
      usages: isServing ? SERVING_USAGES : [...CLIENT_USAGES],
    },
  };
}

/** `Issued`, `Denied REASON`, `Failed REASON`, why it could not even be made, or `Pending` after the limit. */
export async function attack({
  client,
  admin,
  nodeName,
  signerName,
  isApproved,
  isRuleTold = false,
  limitMs = LIMIT_MS,
}: Attack): Promise<string> {
  const request = unprovenRequest(nodeName, signerName);
  const { name = "" } = request.metadata;
  try {
    await client.create(CSRS, request);
  } catch (error) {
    return `Refused at the door: ${(error as Error).message}`;
  }
  if (isApproved === true) await approveByHand(admin, name);
  const end = Date.now() + limitMs;
  while (Date.now() < end) {
    const outcome = outcomeOf(await admin.get<CertificateSigningRequest>(CSRS, { name }), isRuleTold);
    if (outcome !== undefined) return outcome;
    await delay(100);
  }
  return "Pending";
}

function outcomeOf(csr: CertificateSigningRequest, isRuleTold: boolean): string | undefined {
  if ((csr.status?.certificate ?? "") !== "") return "Issued";
  const ended = findCondition(csr, "Denied") ?? findCondition(csr, "Failed");
  if (ended === undefined) return undefined;
  const [rule = ""] = (ended.message ?? "").split(":");
  return `${ended.type} ${ended.reason}${isRuleTold ? ` by ${rule}` : ""}`;
}

async function approveByHand(admin: KubeClient, name: string): Promise<void> {
  const csr = await admin.get<CertificateSigningRequest>(CSRS, { name });
  const condition = { type: "Approved", status: "True" as const, reason: "Persuaded", message: "it looked all right" };
  await admin.update(CSRS, { ...csr, status: { ...csr.status, conditions: [condition] } }, { subresource: "approval" });
}
