// What a discovery JWT opens: plain GETs of objects in kube-public whose whole answer can be signed, and nothing else.
// Judged on the request as it came, before anybody interprets it, so that server and proxy cannot read it in two ways. Pure.

/** The header with the detached JWS over the exact bytes of the body. */
export const JWS_HEADER = "x-kubernetes-jws";
/** A longer body is not signed: it would have to be held in memory whole, and cluster-info is a few KiB. */
export const MAX_SIGNED_BODY_BYTES = 1_048_576;

export interface DiscoveryRequest {
  readonly method: string;
  /** Path and query exactly as they came. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, unknown>>;
}

/**
 * Plain characters only: what needs no decoding cannot be decoded differently by the next reader. No subresource, and not
 * those of the namespace itself, which look like resources in it.
 */
const OBJECTS =
  /^\/(?:api\/v1|apis\/[a-z0-9.-]+\/v[a-z0-9]+)\/namespaces\/kube-public\/(?!(?:status|finalize)\b)[a-z]+(?:\/[a-z0-9][a-z0-9.-]*)?$/;

/** Why a JWT does not open this request, or undefined. */
export function refuseDiscoveryRequest({ method, target, headers }: DiscoveryRequest): string | undefined {
  if (method !== "GET") return "a discovery JWT opens GET requests only";
  if (headers["upgrade"] !== undefined) {
    return "a discovery JWT opens no upgraded connections: what goes through them cannot be signed";
  }
  if (Object.keys(headers).some((name) => name.startsWith("impersonate-"))) {
    return "a discovery JWT acts for no other user, only for its own";
  }
  const at = target.indexOf("?");
  const path = at < 0 ? target : target.slice(0, at);
  if (!OBJECTS.test(path)) return "a discovery JWT opens objects in the namespace kube-public only";
  // `watch=false` is refused too: nobody needs it, and Kubernetes reads an empty or a second value in its own way.
  if (at >= 0 && new URLSearchParams(target.slice(at + 1)).has("watch")) {
    return "a discovery JWT opens no watches: their events cannot be signed";
  }
  return undefined;
}
