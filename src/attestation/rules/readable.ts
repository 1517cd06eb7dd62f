// The part that is common to all chains: rules that every request with evidence must pass before those of its provider.

import type { Rule } from "../../kernel/outcome/index.ts";
import {
  blocksAreStrict,
  clusterIsOurs,
  envelopeAgreesWithRequest,
  envelopeIsReadable,
  providerIsAuthorized,
  versionIsTheBestCommon,
} from "./envelope.ts";
import type { EvidenceFacts } from "./facts.ts";
import { metadataIsPlain, nameIsBound, requestIsSmallEnough, requestIsWellFormed, signerIsOurs } from "./request.ts";

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
