// Source 1. A node that was attested has its key pinned; nothing below may override that.
import { pinsOf } from "../../identity.ts";
import { SILENT, type TrustSource } from "./source.ts";

export const pins: TrustSource = {
  id: "pins",
  sentence: "the endorsement key of an attested node is the pinned one",
  ask: ({ hash }, { identity }) => {
    const pinned = pinsOf(identity)?.tpm?.ek.spkiSha256;
    return pinned === hash ? { kind: "Trusted", level: "Pinned", note: "pinned at an earlier exchange" } : SILENT;
  },
};
