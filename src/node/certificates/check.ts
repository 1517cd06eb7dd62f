// Is the issued certificate the requested one? Pure; read before anything is stored, because a kubelet that stores a
// certificate of another name or CA gets 401 until an operator logs in. The rules, in order:
//   certificate-is-readable · certificate-is-for-our-key · subject-is-our-node · certificate-has-our-names ·
//   certificate-is-in-force · chain-ends-at-the-cluster-ca (for the usage that was asked for)

import { NODES_GROUP } from "../../api/certificates/index.ts";
import { equalBytes } from "../../kernel/bytes/index.ts";
import { type Allow, allow, type Deny, deny } from "../../kernel/outcome/index.ts";
import { type Certificate, readCertificates, validateChain } from "../../kernel/x509/index.ts";
import { commonNameOf, missingNames, purposeOidOf, type ServingNames, type WantedCertificate } from "./template.ts";

export interface IssuedFacts extends WantedCertificate {
  readonly certificatePem: string;
  readonly publicKey: Uint8Array;
  /** The CAs that may sign for this cluster's nodes. Undefined: none is known, and the last rule does not apply. */
  readonly roots: NodeRoots;
  readonly nowMs: number;
}

export type NodeRoots = readonly Certificate[] | undefined;

/**
 * The named CAs, else the cluster's. Undefined where the kubeconfig relies on this machine's roots: they identify the
 * server, but do not tell which CA signs its nodes. The certificate comes from that server, which will also judge it.
 */
export function nodeRootsOf({ caPem, writtenCaPem }: ClusterRoots, clientCaPem: string | undefined): NodeRoots {
  if (clientCaPem === undefined && writtenCaPem === "") return undefined;
  return readCertificates(clientCaPem ?? caPem);
}

interface ClusterRoots {
  readonly caPem: string;
  readonly writtenCaPem?: string | undefined;
}

export function checkIssued(facts: IssuedFacts): Allow | Deny {
  const [leaf, ...intermediates] = readCertificates(facts.certificatePem);
  if (leaf === undefined) return refuse("certificate-is-readable", "the answer is not a list of certificates");
  if (!equalBytes(leaf.publicKey.spki, facts.publicKey)) {
    return refuse("certificate-is-for-our-key", "the certificate is for another key");
  }
  const refusal =
    checkSubject(leaf, facts.nodeName) ?? checkNames(leaf, facts.serving) ?? checkForce(leaf, facts.nowMs);
  return refusal ?? checkChain(leaf, intermediates, facts);
}

function checkChain(leaf: Certificate, intermediates: readonly Certificate[], facts: IssuedFacts): Allow | Deny {
  const { roots } = facts;
  if (roots === undefined) {
    const message = "the certificate is ours, and no CA of nodes is known to compare it with";
    return allow({ rule: "certificate-is-in-force", reason: "Checked", message });
  }
  // A node whose clock is behind must not refuse what the server's clock calls valid.
  const nowMs = Math.max(facts.nowMs, leaf.notBeforeMs);
  const result = validateChain({ leaf, intermediates, roots, nowMs, usage: purposeOidOf(facts) });
  if (!result.ok) {
    return refuse(
      "chain-ends-at-the-cluster-ca",
      `the certificate does not lead to the cluster's CA (${result.message}); if this cluster signs its nodes with a CA ` +
        "of its own, name that CA",
    );
  }
  return allow({ rule: "chain-ends-at-the-cluster-ca", reason: "Checked", message: "the certificate is ours" });
}

function checkSubject({ subject }: Certificate, nodeName: string): Deny | undefined {
  const expected = commonNameOf(nodeName);
  if (subject.commonName === expected && subject.organizations.join("|") === NODES_GROUP) return undefined;
  const seen = `CN ${JSON.stringify(subject.commonName ?? "")}, O ${JSON.stringify(subject.organizations)}`;
  return refuse(
    "subject-is-our-node",
    `the certificate is for ${seen}, expected CN "${expected}", O ["${NODES_GROUP}"]`,
  );
}

function checkNames(leaf: Certificate, serving: ServingNames | undefined): Deny | undefined {
  const missing = missingNames(leaf, serving);
  if (missing.length === 0) return undefined;
  return refuse("certificate-has-our-names", `the certificate lacks the names ${missing.join(", ")}`);
}

/**
 * An expired answer would be stored, found expired and asked for again at once: about one request a second, for ever.
 */
function checkForce({ notAfterMs }: Certificate, nowMs: number): Deny | undefined {
  if (nowMs < notAfterMs) return undefined;
  const ended = new Date(notAfterMs).toISOString();
  return refuse("certificate-is-in-force", `the certificate ended at ${ended}; compare the clocks of signer and node`);
}

function refuse(rule: string, message: string): Deny {
  return deny({ rule, reason: "NotAsAsked", message });
}
