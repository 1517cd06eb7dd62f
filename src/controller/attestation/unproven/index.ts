// Requests that carry no evidence, for nodes that have an identity or leave one behind.

export { createCustody } from "./custody.ts";
export { createIdentityReader } from "./identity-reader.ts";
export { judgeUnattested, type Objection, pinWithoutEnvelope, type Unattested } from "./unattested.ts";
