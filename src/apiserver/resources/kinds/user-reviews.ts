// Reviews about users: TokenReview asks whose token something is, SelfSubjectReview who the caller is. A token that is
// not valid is an answer, not an error.

import type { UserInfo } from "../../../api/access/index.ts";
import { type KubeObject, SELF_SUBJECT_REVIEWS } from "../../../api/meta/index.ts";
import { formatTime } from "../metadata.ts";
import type { Review, TokenVerdict } from "../review.ts";

interface TokenReview extends KubeObject {
  spec?: { readonly token?: string; readonly audiences?: readonly string[] };
  status?: unknown;
}

export const tokenReview: Review<TokenReview> = {
  resource: { ...SELF_SUBJECT_REVIEWS, plural: "tokenreviews", kind: "TokenReview" },
  problem: ({ spec }) =>
    (spec?.token ?? "") === "" ? "token is required for TokenReview in authentication" : undefined,
  validate: () => [],
  answer: (asked, { reviewToken }) => {
    const { token = "", audiences = [] } = asked.spec ?? {};
    const { kind, apiVersion, metadata, spec } = asked;
    const answer: TokenReview = {
      kind,
      apiVersion,
      metadata,
      spec: spec ?? {},
      status: told(reviewToken(token, audiences)),
    };
    return answer;
  },
};

function told(verdict: TokenVerdict): unknown {
  if (!verdict.authenticated) return { user: {}, error: verdict.error };
  return { authenticated: true, user: userOf(verdict.user), audiences: verdict.audiences };
}

function userOf({ username, uid, groups, extra }: UserInfo): unknown {
  return {
    username,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  };
}

export const selfSubjectReview: Review = {
  resource: SELF_SUBJECT_REVIEWS,
  validate: () => [],
  answer: (asked, { user, nowMs }) => {
    const metadata = { creationTimestamp: formatTime(nowMs) };
    const answer: KubeObject & { status: unknown } = {
      kind: "SelfSubjectReview",
      apiVersion: asked.apiVersion,
      metadata,
      status: { userInfo: userOf(user) },
    };
    return answer;
  },
};
