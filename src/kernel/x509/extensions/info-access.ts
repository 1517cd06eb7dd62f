// authorityInfoAccess (RFC 5280 §4.2.2.1): where to find the issuer's certificate or its OCSP responder. The product never
// follows it; its form is checked because a certificate with a damaged extension comes from a damaged issuer.
import { readOid, readWholeSequence, TAG } from "../../der/index.ts";
import { Fault } from "../../outcome/index.ts";
import { readGeneralName } from "../general-names.ts";

/** Two in practice: one for OCSP, one for the issuer. */
const MAX_DESCRIPTIONS = 64;

export function checkInfoAccess(value: Uint8Array): void {
  readWholeSequence(value, (content) => {
    if (content.isEmpty) throw new Fault("malformed", "authority information access must not be empty");
    for (let count = 0; !content.isEmpty; count++) {
      if (count === MAX_DESCRIPTIONS)
        throw new Fault("limit-exceeded", `more than ${MAX_DESCRIPTIONS} access descriptions`);
      const description = content.enter(TAG.sequence);
      readOid(description);
      readGeneralName(description);
      description.finish();
    }
  });
}
