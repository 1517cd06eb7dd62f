// An installed source of endorsement keys, in the shape that the controller uses: one question about one Machine, and a
// checked digest as the answer. A platform that cannot be asked is waited for.

import type { EndorsementKeySource, LIMITS, MachineView } from "@countersign/sdk";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { Fault, isFault, type Seen } from "../../kernel/outcome/index.ts";
import { parsePem } from "../../kernel/pem/index.ts";
import { parseCertificate } from "../../kernel/x509/index.ts";
import type { FindOptions } from "./find-package.ts";
import { unlessAborted, wordsOf } from "./guarded.ts";
import { loadEndorsementKeySource, loadPackageWord } from "./load.ts";
import { viewOf } from "./shape.ts";

export interface SdkKeySource {
  readonly name: string;
  /** SHA-256 of the key as SubjectPublicKeyInfo, lower-case hex; absent where the machine has no TPM. */
  keyOf(machine: MachineView, signal: AbortSignal): Promise<Seen<string>>;
}

/** A request waits for the answer; a platform that takes longer is asked again with the next look. */
const ASK_LIMIT_MS: (typeof LIMITS)["maxAskMs"] = 10_000;

export function createSdkKeySource(source: EndorsementKeySource): SdkKeySource {
  return {
    name: source.name,
    keyOf: async (machine, stop) => {
      const signal = AbortSignal.any([stop, AbortSignal.timeout(ASK_LIMIT_MS)]);
      try {
        const answer = await unlessAborted(signal, () => source.endorsementKeyOf(viewOf(machine), { signal }));
        return answer === undefined ? { kind: "Absent" } : { kind: "Present", value: digestOf(source.name, answer) };
      } catch (failure) {
        const words = signal.aborted ? "it did not answer in time" : wordsOf(failure);
        return { kind: "NotRead", why: `${source.name} does not say which TPM it has: ${words}` };
      }
    },
  };
}

/** From the words of a command line. */
export async function loadSdkKeySources(
  words: readonly string[],
  find: FindOptions = {},
): Promise<readonly SdkKeySource[]> {
  return await Promise.all(
    words.map(async (word) => {
      const { packageName, settings } = await loadPackageWord(word);
      return createSdkKeySource(await loadEndorsementKeySource(packageName, { ...find, settings }));
    }),
  );
}

const DIGEST = /^sha256:([0-9a-f]{64})$/;

function digestOf(name: string, answer: unknown): string {
  const text = typeof answer === "string" ? answer : "";
  const [, digest] = DIGEST.exec(text) ?? [];
  if (digest !== undefined) return digest;
  const [block] = parsePem(text);
  const spki = block === undefined ? undefined : spkiIn(block);
  if (spki !== undefined) return encodeHex(sha256(spki));
  throw new Fault("malformed", `${name} gave neither sha256:<hex> nor a key or certificate as PEM`);
}

function spkiIn({ label, bytes }: { readonly label: string; readonly bytes: Uint8Array }): Uint8Array | undefined {
  if (label === "PUBLIC KEY") return bytes;
  try {
    return label === "CERTIFICATE" ? parseCertificate(bytes).publicKey.spki : undefined;
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}
