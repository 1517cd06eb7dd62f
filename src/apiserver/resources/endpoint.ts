// Whom a request is for: a stored kind (with the subresource it names), a subresource that is only posted to, or a review
// that is answered and forgotten.

import type { Review } from "./review.ts";
import type { CreateSubresource, Strategy, Subresource } from "./strategy.ts";

export type Endpoint =
  | { readonly kind: "stored"; readonly strategy: Strategy; readonly subresource: Subresource | undefined }
  | { readonly kind: "posted"; readonly strategy: Strategy; readonly subresource: CreateSubresource }
  | { readonly kind: "review"; readonly review: Review };
