// The signature of an answer to a discovery JWT (super simple discovery API, "JWS content signing"): a detached HS256
// JWS over the exact bytes of the body, made with the token that the JWT names and carried by the header
// X-Kubernetes-JWS. The same key signs the kubeconfig inside cluster-info (kubeadm's jws-kubeconfig-<id>), so the
// protected header says which use this is, and what was answered:
//   {"alg":"HS256","kid":"<id>","typ":"discovery-answer+jws","path":"<path>","jwt":"<hash>"}
// `path` is the path that was asked for and `jwt` the SHA-256 of the JWT that asked, in base64url. A signature that
// lacks one of them, or names another path or JWT, is no answer to this request. docs/decisions/0012-bound-answers.md.
// Pure.

import { encodeUtf8 } from "../../kernel/bytes/index.ts";
import { nativeBase64Url, sha256 } from "../../kernel/crypto/index.ts";
import { signDetachedHs256, type UnverifiedDetachedHs256, verifyParsedDetachedHs256 } from "../../kernel/jose/index.ts";
import type { BootstrapToken } from "./token.ts";

/** The header with the detached JWS over the exact bytes of the body. */
export const JWS_HEADER = "x-kubernetes-jws";
/** A longer body is not signed: it would have to be held in memory whole, and cluster-info is a few KiB. */
export const MAX_SIGNED_BODY_BYTES = 1_048_576;

const TYPE = "discovery-answer+jws";

/** A request for cluster-info, and what its answer is signed with. */
export interface ReplyKey {
  readonly token: BootstrapToken;
  /** The JWT that asked, as it was sent. */
  readonly jwt: string;
}

/** Text is signed as UTF-8: these must be the bytes that are sent. */
export function signDiscoveryAnswer(body: string | Uint8Array, { token, jwt }: ReplyKey): string {
  return signDetachedHs256({ keyId: token.id, secret: token.secret, content: body, fields: bindingOf(jwt) });
}

/** Whether the protected header says that this is the answer to that JWT. Nothing is verified by it. */
export function isBoundTo({ fields }: UnverifiedDetachedHs256, jwt: string): boolean {
  return Object.entries(bindingOf(jwt)).every(([name, value]) => Object.hasOwn(fields, name) && fields[name] === value);
}

/** Constant time. */
export function verifyDiscoveryAnswer(jws: UnverifiedDetachedHs256, body: Uint8Array, key: ReplyKey): boolean {
  if (jws.keyId !== key.token.id || !isBoundTo(jws, key.jwt)) return false;
  return verifyParsedDetachedHs256(jws, { secret: key.token.secret, content: body });
}

/** The path is that of cluster-info alone: a JWT opens nothing else. */
function bindingOf(jwt: string): Readonly<Record<"typ" | "path" | "jwt", string>> {
  return { typ: TYPE, path: CLUSTER_INFO_PATH, jwt: nativeBase64Url(sha256(encodeUtf8(jwt))) };
}

// What a discovery JWT opens: a plain GET of kube-public/cluster-info, and nothing else. An attacker on the unverified
// connection has the JWT too, and tenants may write other objects into kube-public: none of them is read or signed for
// it. Judged on the request as it came, before it is interpreted, so that server and proxy cannot read it in two
// ways. Pure.

/** Where it stands on every server (super simple discovery API). */
export const CLUSTER_INFO_PATH = "/api/v1/namespaces/kube-public/configmaps/cluster-info";

interface DiscoveryRequest {
  readonly method: string;
  /** Path and query exactly as they came. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Why a JWT does not open this request, or undefined. */
export function refuseDiscoveryRequest({ method, target, headers }: DiscoveryRequest): string | undefined {
  if (method !== "GET") return "a discovery JWT opens GET requests only";
  if (headers["upgrade"] !== undefined) {
    return "a discovery JWT opens no upgraded connections: what goes through them cannot be signed";
  }
  if (Object.keys(headers).some((name) => name.startsWith("impersonate-"))) {
    return "a discovery JWT acts for no other user, only for its own";
  }
  // No query either: no client needs one, and some of them (watch, an older resourceVersion) change what is answered.
  if (target !== CLUSTER_INFO_PATH) return `a discovery JWT opens ${CLUSTER_INFO_PATH} only, without a query`;
  return undefined;
}
