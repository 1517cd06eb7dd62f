// As whom the API server knows a credential: a review that changes nothing, and that everybody who is known may ask for.

import { apiVersionOf, type KubeObject, SELF_SUBJECT_REVIEWS } from "../../api/meta/index.ts";
import type { CallOptions, KubeClient } from "../../platform/kube/index.ts";

interface SelfSubjectReview extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

/** Fault `unauthorized` when it is known as nobody. */
export async function whoAmI(client: KubeClient, options: CallOptions = {}): Promise<string> {
  const review: SelfSubjectReview = {
    apiVersion: apiVersionOf(SELF_SUBJECT_REVIEWS),
    kind: SELF_SUBJECT_REVIEWS.kind,
    metadata: {},
  };
  const { status } = await client.create(SELF_SUBJECT_REVIEWS, review, options);
  return status?.userInfo?.username ?? "";
}
