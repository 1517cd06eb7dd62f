// H1–H11: what every request with evidence must pass before its provider's rules are asked.
import type { Rule } from "../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "./facts.ts";
import { blocksAreStrict } from "./rules/blocks-are-strict.ts";
import { clusterIsOurs } from "./rules/cluster-is-ours.ts";
import { envelopeAgreesWithRequest } from "./rules/envelope-agrees-with-request.ts";
import { envelopeIsReadable } from "./rules/envelope-is-readable.ts";
import { metadataIsPlain } from "./rules/metadata-is-plain.ts";
import { nameIsBound } from "./rules/name-is-bound.ts";
import { providerIsAuthorized } from "./rules/provider-is-authorized.ts";
import { requestIsSmallEnough } from "./rules/request-is-small-enough.ts";
import { requestIsWellFormed } from "./rules/request-is-well-formed.ts";
import { signerIsOurs } from "./rules/signer-is-ours.ts";
import { versionIsTheBestCommon } from "./rules/version-is-the-best-common.ts";

export const READABLE_RULES: readonly Rule<EvidenceFacts>[] = [
  signerIsOurs,
  metadataIsPlain,
  requestIsSmallEnough,
  blocksAreStrict,
  providerIsAuthorized,
  envelopeIsReadable,
  nameIsBound,
  requestIsWellFormed,
  envelopeAgreesWithRequest,
  clusterIsOurs,
  versionIsTheBestCommon,
];
