// What becomes of a request. In the order in which kube-apiserver asks: a client certificate, then a token, then
// none of them. Pure.
//   1. a good client certificate: handed on as that user, over the connection that may speak for others
//   2. a discovery JWT of a live token: for cluster-info handed on as the discovery user, its answer signed;
//      for anything else refused and not signed, because an attacker on the unverified connection has it too
//   3. any other bearer token: passed on as it is; the server behind judges it
//   4. a bad client certificate: refused, as kube-apiserver does, also where anonymous reads are allowed
//   5. nothing: passed on; the server behind judges anonymous requests

import type { CertificateVerdict, UserInfo } from "../api/access/index.ts";
import { discoveryUser, type ReplyKey, refuseDiscoveryRequest } from "../api/bootstrap/index.ts";
import { isWritable } from "./headers.ts";

export type Route =
  /** As it came, over a connection that proves nothing. */
  | { readonly kind: "pass"; readonly identity: "token" | "anonymous" }
  /** In the name of this user, over the connection that the server behind trusts. */
  | {
      readonly kind: "speak";
      readonly identity: "certificate" | "discovery";
      readonly user: UserInfo;
      readonly replyKey?: ReplyKey;
    }
  | {
      readonly kind: "refuse";
      readonly identity: "certificate" | "discovery";
      readonly status: 401 | 403;
      readonly message: string;
    };

export function judgeRequest(facts: RequestFacts): Route {
  const { certificate, discoveryKey } = facts;
  if (certificate.kind === "user") return speakFor(certificate.user);
  if (discoveryKey !== undefined) return discover(facts, discoveryKey);
  if (facts.hasBearerToken) return { kind: "pass", identity: "token" };
  if (certificate.kind === "refused") return refuseCertificate(certificate.reason);
  return { kind: "pass", identity: "anonymous" };
}

/** A name that a header would change on its way is not handed on: the server behind would see another user. */
function speakFor(user: UserInfo): Route {
  const words = [user.username, user.uid ?? "", ...user.groups];
  if (!words.every(isWritable)) return refuseCertificate("its names do not fit into a header");
  return { kind: "speak", identity: "certificate", user };
}

function refuseCertificate(reason: string): Route {
  return { kind: "refuse", identity: "certificate", status: 401, message: reason };
}

function discover(facts: RequestFacts, replyKey: ReplyKey): Route {
  const why = refuseDiscoveryRequest(facts);
  if (why !== undefined) return { kind: "refuse", identity: "discovery", status: 403, message: why };
  return { kind: "speak", identity: "discovery", user: discoveryUser(replyKey.token.id), replyKey };
}

// Everything the gateway may know about a request when it decides what becomes of it.

export interface RequestFacts {
  readonly method: string;
  /** Path and query exactly as they came. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The peer's certificate by the client CA of this moment; "none" when none was shown. */
  readonly certificate: CertificateVerdict;
  readonly hasBearerToken: boolean;
  /** A valid discovery JWT of this request, and the live token that it names. */
  readonly discoveryKey: ReplyKey | undefined;
}
