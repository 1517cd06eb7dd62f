// Did the holder of the token's secret sign this? Two proofs are known, and both bind the document to the secret
// without showing it: the header X-Kubernetes-JWS over the exact bytes of an answer, bound to the JWT that asked (super
// simple discovery API), and kubeadm's JWS inside the ConfigMap, over its kubeconfig. Neither passes for the other:
// their protected headers differ. Pure. Nothing of an answer is interpreted before its signature holds. Rules, in
// order:
//   answer:    answer-is-signed · signature-is-readable · signature-is-hs256 · signature-is-of-this-token ·
//              signature-answers-this-request · answer-is-complete · signature-is-valid · answer-is-cluster-info
//   ConfigMap: signature-is-present (waits) · the four of the signature

import {
  type BootstrapToken,
  isBoundTo,
  JWS_HEADER,
  type ReplyKey,
  verifyDiscoveryAnswer,
} from "../../../api/bootstrap/index.ts";
import { parseUtf8 } from "../../../kernel/bytes/index.ts";
import { parseDetachedHs256, type UnverifiedDetachedHs256, verifyDetachedHs256 } from "../../../kernel/jose/index.ts";
import { type Allow, allow, type Deny, isFault, type Wait, wait } from "../../../kernel/outcome/index.ts";
import { refuse } from "../cluster.ts";
import { CLUSTER_INFO, type ClusterInfoAnswer, parseConfigMap, type ReadConfigMap } from "./answer.ts";

/** How long until it is worth looking again; a signer answers a new token within a second. */
const DISCOVERY_RETRY_MS = 5_000;
const SIGNATURE_PREFIX = "jws-kubeconfig-";

export type SignatureVerdict = (Allow & { readonly kubeconfigText: string }) | Deny | Wait;

/** An answer that a JWT was shown for. */
export function judgeSignedAnswer(answer: ClusterInfoAnswer, asked: ReplyKey): SignatureVerdict {
  const jws = answer.headers[JWS_HEADER];
  if (typeof jws !== "string" || jws === "") {
    return refuse(
      "answer-is-signed",
      `the server took the token's JWT and did not sign its answer (${jws === undefined ? "no" : "not one"} ` +
        "X-Kubernetes-JWS): it is not the cluster, or a proxy in between removed the header; ask the API server directly",
    );
  }
  const problem = findAnswerProblem(jws, answer.body, asked);
  if (problem !== undefined) return problem;
  const map = parseConfigMap(answer.body);
  if (!isClusterInfo(map)) {
    return refuse(
      "answer-is-cluster-info",
      `the signed answer is ${map.apiVersion} ${map.kind} ${map.namespace}/${map.name}, not the ConfigMap ` +
        "kube-public/cluster-info: somebody replays another answer of the cluster",
    );
  }
  const kubeconfigText = map.data["kubeconfig"] ?? "";
  return kubeconfigText === "" ? waitFor("cluster-info has no kubeconfig yet") : signed(kubeconfigText);
}

/** A refusal is signed too, and so is another form of the object (a Table) that an attacker in the middle requested. */
function isClusterInfo({ apiVersion, kind, namespace, name }: ReadConfigMap): boolean {
  const isConfigMap = apiVersion === "v1" && kind === "ConfigMap";
  return isConfigMap && namespace === CLUSTER_INFO.namespace && name === CLUSTER_INFO.name;
}

/** An answer to an anonymous request, as kubeadm reads it. */
export function judgeSignedConfigMap(data: Readonly<Record<string, string>>, token: BootstrapToken): SignatureVerdict {
  const kubeconfigText = data["kubeconfig"] ?? "";
  const jws = data[`${SIGNATURE_PREFIX}${token.id}`] ?? "";
  if (kubeconfigText === "" || jws === "") {
    const others = Object.keys(data).filter((key) => key.startsWith(SIGNATURE_PREFIX)).length;
    return waitFor(
      `cluster-info carries no signature of token ${token.id} yet (${others} of other tokens): ` +
        "the token may be new, expired, unknown there, or not meant for signing",
    );
  }
  return findConfigMapProblem(jws, kubeconfigText, token) ?? signed(kubeconfigText);
}

function findAnswerProblem(jws: string, body: Uint8Array, { token, jwt }: ReplyKey): Deny | undefined {
  const parsed = parseSignature(jws, token);
  if ("rule" in parsed) return parsed;
  if (!isBoundTo(parsed, jwt)) {
    return refuse(
      "signature-answers-this-request",
      "the signature does not say that it answers this request: an older countersign-gateway or embedded server made it " +
        "(bring the server up to date first), or somebody shows a signature that was made for something else",
    );
  }
  if (verifyDiscoveryAnswer(parsed, body, { token, jwt })) return undefined;
  if (isWholeJson(body)) return refuseSignature(token);
  return refuse(
    "answer-is-complete",
    `the answer breaks off after ${body.length} bytes and its signature does not fit: a proxy cut it short, or ` +
      "somebody changed it; ask the API server directly",
  );
}

/** Only the one spelling that kubeadm accepts: a signature of any other use has another header. */
function findConfigMapProblem(jws: string, content: string, token: BootstrapToken): Deny | undefined {
  const parsed = parseSignature(jws, token);
  if ("rule" in parsed) return parsed;
  const isValid = verifyDetachedHs256({ jws, keyId: token.id, secret: token.secret, content });
  return isValid ? undefined : refuseSignature(token);
}

function refuseSignature({ id }: BootstrapToken): Deny {
  return refuse(
    "signature-is-valid",
    `the signature of token ${id} does not fit what was sent: the secret is wrong, or somebody between here and ` +
      "the cluster changed it; make a new token with `countersign token create`, then look at the network",
  );
}

/** Readable, HS256 and of this token, or the refusal. */
function parseSignature(jws: string, token: BootstrapToken): UnverifiedDetachedHs256 | Deny {
  const parsed = parseJws(jws);
  if ("rule" in parsed || parsed.keyId === token.id) return parsed;
  return refuse(
    "signature-is-of-this-token",
    `the signature is of another token than ${token.id}: somebody shows an answer that was made for other eyes`,
  );
}

function parseJws(jws: string): UnverifiedDetachedHs256 | Deny {
  try {
    return parseDetachedHs256(jws);
  } catch (error) {
    if (!isFault(error)) throw error;
    if (error.code === "unsupported") {
      return refuse(
        "signature-is-hs256",
        `the signature asks to be checked otherwise than with the token's secret (${error.message}): somebody tries to ` +
          "get around the check",
      );
    }
    return refuse("signature-is-readable", `the signature is not a detached JWS: ${error.message}`);
  }
}

/** Only to say it better: whatever this finds, the answer is refused. */
function isWholeJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(parseUtf8(bytes));
    return true;
  } catch {
    return false; // not the bytes of a whole answer; there is nothing to rethrow
  }
}

function signed(kubeconfigText: string): SignatureVerdict {
  const message = "the token's signature holds";
  return { ...allow({ rule: "signature-is-valid", reason: "Signed", message }), kubeconfigText };
}

function waitFor(message: string): Wait {
  return wait({ rule: "signature-is-present", reason: "SignatureMissing", message }, DISCOVERY_RETRY_MS);
}

/** The document again, over a connection that the anchors vouch for: it must be the same to the byte. */
export function judgeSecondReading(first: string, second: string): Allow | Deny {
  const rule = "document-is-the-same-over-verified-tls";
  if (first === second) {
    return allow({ rule, reason: "Trusted", message: "both readings of cluster-info are the same" });
  }
  return refuse(
    rule,
    "the verified connection serves another document than the first one: it changed this second (try again), " +
      "or the first reading was not the cluster's",
  );
}
