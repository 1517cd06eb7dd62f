// Is this cluster-info the one that the token's cluster published? Pure; kubeadm's JWS form (facts of `kubeadm join`).
// The rules, in order; the first that does not hold is the answer:
//   signature-is-present · signature-is-valid · document-is-a-kubeconfig · document-names-one-cluster ·
//   document-carries-no-credentials · server-is-https · ca-is-given · ca-is-pinned
// Nothing of the document is parsed before its signature holds.

import type { BootstrapToken } from "../../api/bootstrap/index.ts";
import { type Kubeconfig, type KubeconfigCluster, parseKubeconfig } from "../../api/kubeconfig/index.ts";
import { parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { verifyDetachedHs256 } from "../../kernel/jose/index.ts";
import { type Allow, allow, type Deny, deny, isFault, type Wait, wait } from "../../kernel/outcome/index.ts";
import { encodePem, parsePem } from "../../kernel/pem/index.ts";
import { type Certificate, parseCertificate } from "../../kernel/x509/index.ts";
import { caPinOf } from "./pins.ts";

/** How long until it is worth looking again; a signer answers a new token within a second. */
const DISCOVERY_RETRY_MS = 5_000;

export interface ClusterInfoFacts {
  /** `data` of the ConfigMap kube-public/cluster-info, as an unknown server sent it. */
  readonly data: Readonly<Record<string, string>>;
  readonly token: BootstrapToken;
  /** Canonical pins; none means that the token's signature alone decides, as kubeadm's unsafe mode does. */
  readonly caPins: readonly string[];
}

export interface DiscoveredCluster {
  /** From the signed document, not from the command line: everything after discovery goes there. */
  readonly server: string;
  readonly caPem: string;
  readonly kubeconfigText: string;
  /** The certificates that must vouch for the second connection: the pinned ones, or all when nothing is pinned. */
  readonly anchorsPem: string;
}

export type ClusterInfoVerdict = (Allow & { readonly cluster: DiscoveredCluster }) | Deny | Wait;

export function judgeClusterInfo(facts: ClusterInfoFacts): ClusterInfoVerdict {
  const kubeconfigText = facts.data["kubeconfig"] ?? "";
  const jws = facts.data[`${SIGNATURE_PREFIX}${facts.token.id}`] ?? "";
  if (kubeconfigText === "" || jws === "") return waitForSignature(facts);
  const { id: keyId, secret } = facts.token;
  if (!verifyDetachedHs256({ jws, keyId, secret, content: kubeconfigText })) {
    return refuse(
      "signature-is-valid",
      `the signature of token ${facts.token.id} does not fit the document: the secret is wrong, or somebody between here ` +
        "and the cluster changed it; make a new token with `countersign token create`, then look at the network",
    );
  }
  return judgeDocument(kubeconfigText, facts.caPins);
}

const SIGNATURE_PREFIX = "jws-kubeconfig-";
/** One cluster with some CA certificates; YAML takes time that grows faster than its length, and this text is a stranger's. */
const DOCUMENT_MAX_CHARACTERS = 131_072;

function waitForSignature({ data, token }: ClusterInfoFacts): Wait {
  const others = Object.keys(data).filter((key) => key.startsWith(SIGNATURE_PREFIX)).length;
  const message =
    `cluster-info carries no signature of token ${token.id} yet (${others} of other tokens): ` +
    "the token may be new, expired, unknown there, or not meant for signing";
  return wait({ rule: "signature-is-present", reason: "SignatureMissing", message }, DISCOVERY_RETRY_MS);
}

function judgeDocument(kubeconfigText: string, caPins: readonly string[]): ClusterInfoVerdict {
  const config = readKubeconfig(kubeconfigText);
  if (config === undefined) return refuse("document-is-a-kubeconfig", "the signed document is not a kubeconfig");
  const [entry, ...more] = config.clusters;
  if (entry === undefined || more.length > 0) {
    return refuse("document-names-one-cluster", `the signed document names ${config.clusters.length} clusters`);
  }
  if (config.users.length > 0) {
    return refuse("document-carries-no-credentials", "the signed document carries users; a public document must not");
  }
  return judgeCluster(entry.cluster, kubeconfigText, caPins);
}

function judgeCluster(
  cluster: KubeconfigCluster,
  kubeconfigText: string,
  caPins: readonly string[],
): ClusterInfoVerdict {
  const { server } = cluster;
  if (!isHttps(server) || cluster["insecure-skip-tls-verify"] === true) {
    return refuse("server-is-https", "the signed document does not name an https server whose certificate is verified");
  }
  const roots = readBundle(cluster["certificate-authority-data"] ?? "");
  if (roots.length === 0) {
    return refuse("ca-is-given", "the signed document has no readable CA certificate in certificate-authority-data");
  }
  const pinned = roots.filter((root) => caPins.includes(caPinOf(root)));
  if (caPins.length > 0 && pinned.length === 0) {
    return refuse(
      "ca-is-pinned",
      `no CA of the signed document has a pinned key (found ${roots.map(caPinOf).join(", ")}): ` +
        "somebody who knows the token poses as the cluster, or its CA was replaced; ask its operator for the pin",
    );
  }
  const anchors = caPins.length > 0 ? pinned : roots;
  return {
    ...allow({ rule: "ca-is-pinned", reason: "Trusted", message: "the token's signature and the CA pins hold" }),
    cluster: { server, caPem: encodeBundle(roots), kubeconfigText, anchorsPem: encodeBundle(anchors) },
  };
}

/** The document again, over a connection that the anchors vouch for: it must be the same to the byte. */
export function judgeSecondReading(first: DiscoveredCluster, data: Readonly<Record<string, string>>): Allow | Deny {
  const rule = "document-is-the-same-over-verified-tls";
  if (data["kubeconfig"] === first.kubeconfigText) {
    return allow({ rule, reason: "Trusted", message: "both readings of cluster-info are the same" });
  }
  return refuse(
    rule,
    "the verified connection serves another document than the first one: it changed this second (try again), " +
      "or the first reading was not the cluster's",
  );
}

function refuse(rule: string, message: string): Deny {
  return deny({ rule, reason: "Untrusted", message });
}

function readKubeconfig(text: string): Kubeconfig | undefined {
  return orUndefined(() => parseKubeconfig(text, DOCUMENT_MAX_CHARACTERS));
}

function readBundle(base64: string): readonly Certificate[] {
  const read = () =>
    parsePem(parseUtf8(parseBase64(base64)))
      .filter(({ label }) => label === "CERTIFICATE")
      .map(({ bytes }) => parseCertificate(bytes));
  return orUndefined(read) ?? [];
}

function encodeBundle(certificates: readonly Certificate[]): string {
  return certificates.map(({ raw }) => encodePem("CERTIFICATE", raw)).join("");
}

/** What does not parse is refused by the rule that asked for it, so the parser's fault becomes "nothing usable". */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

function isHttps(server: unknown): boolean {
  return typeof server === "string" && URL.canParse(server) && new URL(server).protocol === "https:";
}
