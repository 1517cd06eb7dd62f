// What everybody who needs a certificate says of it.

import type { PairCertificate } from "../../platform/pair/index.ts";
import type { AttestedRequest } from "./attested/claims.ts";
import type { RequestOptions } from "./request.ts";
import type { CertificateStore } from "./store/index.ts";

export interface ObtainOptions extends Omit<RequestOptions, "key" | "attested">, AttestedRequest {
  readonly store: CertificateStore;
  /** Asked under the lock: another process may have stored a pair while this one waited for it. */
  readonly isGood: (pair: PairCertificate) => boolean;
  /**
   * After a refusal: `new-key` asks anew next time, for a person who has removed the cause. `keep-key` meets the same
   * refused request again, for a plugin that is called twice a second and must not file a request each time.
   */
  readonly onRefusal: "new-key" | "keep-key";
}
