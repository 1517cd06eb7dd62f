// What a discovery JWT opens: a plain GET of kube-public/cluster-info, and nothing else. Whoever sits on the unverified
// connection has the JWT too, and tenants may write other objects into kube-public: none of them is read or signed for it.
// Judged on the request as it came, before anybody interprets it, so that server and proxy cannot read it in two ways. Pure.

/** Where it stands on every server (seed 004). */
export const CLUSTER_INFO_PATH = "/api/v1/namespaces/kube-public/configmaps/cluster-info";

export interface DiscoveryRequest {
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
  // No query either: nobody needs one, and some of them (watch, an older resourceVersion) change what is answered.
  if (target !== CLUSTER_INFO_PATH) return `a discovery JWT opens ${CLUSTER_INFO_PATH} only, without a query`;
  return undefined;
}
