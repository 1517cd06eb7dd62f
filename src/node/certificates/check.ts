// Is the certificate that came back the one we asked for? Pure; read before anything is stored, because a kubelet that
// stores a certificate of another name or CA is stuck with 401 until somebody logs in.
// The rules, in order:
//   certificate-is-readable · certificate-is-for-our-key · subject-is-our-node · certificate-is-in-force ·
//   chain-ends-at-the-cluster-ca (usage: client authentication)

import { NODE_USER_PREFIX, NODES_GROUP } from "../../api/certificates/index.ts";
import { equalBytes } from "../../kernel/bytes/index.ts";
import { type Allow, allow, type Deny, deny, isFault } from "../../kernel/outcome/index.ts";
import { parsePem } from "../../kernel/pem/index.ts";
import { type Certificate, EKU_CLIENT_AUTH, parseCertificate, validateChain } from "../../kernel/x509/index.ts";

export interface IssuedFacts {
  readonly certificatePem: string;
  readonly publicKey: Uint8Array;
  readonly nodeName: string;
  /** The CAs that may sign clients of this cluster. */
  readonly roots: readonly Certificate[];
  readonly nowMs: number;
}

export function checkIssued(facts: IssuedFacts): Allow | Deny {
  const [leaf, ...intermediates] = parseCertificates(facts.certificatePem);
  if (leaf === undefined) return refuse("certificate-is-readable", "the answer is not a list of certificates");
  if (!equalBytes(leaf.publicKey.spki, facts.publicKey)) {
    return refuse("certificate-is-for-our-key", "the certificate is for another key");
  }
  const refusal = checkSubject(leaf, facts.nodeName) ?? checkForce(leaf, facts.nowMs);
  if (refusal !== undefined) return refusal;
  const { roots } = facts;
  // A node whose clock is behind must not refuse what the server's clock calls valid.
  const nowMs = Math.max(facts.nowMs, leaf.notBeforeMs);
  const result = validateChain({ leaf, intermediates, roots, nowMs, usage: EKU_CLIENT_AUTH });
  if (!result.ok) {
    return refuse(
      "chain-ends-at-the-cluster-ca",
      `the certificate does not lead to the cluster's CA (${result.message}); if this cluster signs clients with a CA of ` +
        "its own, name that CA",
    );
  }
  return allow({ rule: "chain-ends-at-the-cluster-ca", reason: "Checked", message: "the certificate is ours" });
}

/** Leaf first. Empty when one block is no certificate: half a chain is not guessed at. */
export function parseCertificates(pem: string): readonly Certificate[] {
  try {
    return parsePem(pem)
      .filter(({ label }) => label === "CERTIFICATE")
      .map(({ bytes }) => parseCertificate(bytes));
  } catch (error) {
    if (isFault(error)) return [];
    throw error;
  }
}

function checkSubject({ subject }: Certificate, nodeName: string): Deny | undefined {
  const expected = `${NODE_USER_PREFIX}${nodeName}`;
  if (subject.commonName === expected && subject.organizations.join("|") === NODES_GROUP) return undefined;
  const seen = `CN ${JSON.stringify(subject.commonName ?? "")}, O ${JSON.stringify(subject.organizations)}`;
  return refuse(
    "subject-is-our-node",
    `the certificate is for ${seen}, expected CN "${expected}", O ["${NODES_GROUP}"]`,
  );
}

/** An expired answer would be stored, found expired and asked for again at once: about one request a second, for ever. */
function checkForce({ notAfterMs }: Certificate, nowMs: number): Deny | undefined {
  if (nowMs < notAfterMs) return undefined;
  const ended = new Date(notAfterMs).toISOString();
  return refuse("certificate-is-in-force", `the certificate ended at ${ended}; compare the clocks of signer and node`);
}

function refuse(rule: string, message: string): Deny {
  return deny({ rule, reason: "NotAsAsked", message });
}
