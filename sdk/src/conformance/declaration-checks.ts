// What a provider says of itself, before it is asked anything.
import { CONTRACT_VERSION, MAX_PROOF_AGE_MS } from "../evidence.ts";
import { LIMITS } from "../limits.ts";
import { type Conformance, type ConformanceCheck, check, must } from "./world.ts";

const NAME = new RegExp(LIMITS.name);
const TAKEN_NAMES: readonly string[] = LIMITS.takenNames;
const { maxVersion: MAX_VERSION, maxGatherMs: MAX_GATHER_MS } = LIMITS;

export function declarationChecks({ provider, verifier }: Conformance): readonly ConformanceCheck[] {
  return [
    check("both ends have one name, which a signer name can end with", async () => {
      must(NAME.test(provider.name), `name ${provider.name} must match ${NAME.source}`);
      must(!TAKEN_NAMES.includes(provider.name), `name ${provider.name} is taken`);
      must(provider.name === verifier.name, `provider ${provider.name} and verifier ${verifier.name} differ`);
    }),
    check("both ends are written for this contract and share a version", async () => {
      must(provider.contractVersion === CONTRACT_VERSION, "provider is for another contract");
      must(verifier.contractVersion === CONTRACT_VERSION, "verifier is for another contract");
      for (const { versions } of [provider, verifier]) {
        const areVersions = versions.every((one) => Number.isInteger(one) && one >= 1 && one <= MAX_VERSION);
        must(
          areVersions && new Set(versions).size === versions.length,
          "versions must be numbers from 1 to 999, each once",
        );
      }
      must(
        provider.versions.some((version) => verifier.versions.includes(version)),
        "no version is spoken by both ends",
      );
    }),
    check("evidence is protected from replay by a nonce or by a time limit", async () => {
      const freshness: string = verifier.freshness;
      must(provider.freshness === verifier.freshness, "the ends disagree on what protects from replay");
      must(
        freshness === "challenge" || freshness === "time-limited",
        "neither a nonce nor a time limit protects from replay",
      );
      const age = verifier.maxProofAgeMs ?? Number.POSITIVE_INFINITY;
      must(
        freshness === "challenge" || (age > 0 && age <= MAX_PROOF_AGE_MS),
        "a proof must end within fifteen minutes",
      );
    }),
    check("gathering has a time limit of ten seconds at most", async () => {
      must(
        verifier.gatherLimitMs > 0 && verifier.gatherLimitMs <= MAX_GATHER_MS,
        `limit is ${verifier.gatherLimitMs} ms`,
      );
    }),
  ];
}
