// The cluster's authorizer, asked as kube-controller-manager asks it: may this user have a request approved by rule?
// Answers are remembered for seconds: a thousand machines with one token are one question, and a right that is taken
// away is gone soon.

import type { SubjectAccessReview, UserInfo } from "../../api/access/index.ts";
import { SUBJECT_ACCESS_REVIEWS } from "../../api/meta/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Access } from "./facts.ts";

/** An API server remembers the answers of an authorization webhook for five minutes, refusals for thirty seconds. */
const ALLOWED_MS = 10_000;
const REFUSED_MS = 2_000;
/** Nodes come with credentials of their own, so each is a question of its own. */
const MAX_REMEMBERED = 4_096;

export interface AccessReviews {
  ask(right: Access["right"], user: UserInfo, signal: AbortSignal): Promise<Access>;
}

interface Remembered {
  readonly answer: Promise<Access>;
  untilMs: number;
}

export function createAccessReviews(client: KubeClient, clock: Clock): AccessReviews {
  const remembered = new Map<string, Remembered>();

  async function review(key: string, right: Access["right"], user: UserInfo, entry: () => Remembered | undefined) {
    try {
      const isAllowed = await isAllowedBy(client, right, user);
      const own = entry();
      if (own !== undefined) own.untilMs = clock.now() + (isAllowed ? ALLOWED_MS : REFUSED_MS);
      return { right, isAllowed };
    } catch (error) {
      remembered.delete(key);
      throw error;
    }
  }

  return {
    ask: (right, user) => {
      const key = JSON.stringify([right, user.username, user.uid, user.groups, user.extra]);
      const known = remembered.get(key);
      if (known !== undefined && clock.now() < known.untilMs) return known.answer;
      // Oldest first: a Map keeps the order of insertion.
      remembered.delete(key);
      const [oldest] = remembered.keys();
      if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
      let own: Remembered | undefined;
      // While the question is under way, the same question waits for the same answer.
      own = { answer: review(key, right, user, () => own), untilMs: Number.POSITIVE_INFINITY };
      remembered.set(key, own);
      return own.answer;
    },
  };
}

async function isAllowedBy(client: KubeClient, right: Access["right"], user: UserInfo): Promise<boolean> {
  const { username, uid, groups, extra } = user;
  const review = await client.create<SubjectAccessReview>(SUBJECT_ACCESS_REVIEWS, {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec: {
      user: username,
      groups,
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
      resourceAttributes: {
        group: "certificates.k8s.io",
        version: "*",
        resource: "certificatesigningrequests",
        subresource: right,
        verb: "create",
      },
    },
  });
  return review.status?.allowed === true;
}
