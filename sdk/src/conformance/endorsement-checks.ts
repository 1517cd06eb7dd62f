// A platform's list of its machines' TPMs. An answer for the wrong machine, or another key each time, lets a foreign
// TPM in or keeps its own out; if the platform cannot be asked the source throws, and the node waits.
import { LIMITS } from "../limits.ts";
import type { EndorsementKeySource, MachineView } from "../verifier.ts";
import { bounded } from "./bounded.ts";
import { mustEnd } from "./ending-checks.ts";
import { type ConformanceCheck, check, must } from "./world.ts";

export interface EndorsementKeyConformance {
  readonly source: EndorsementKeySource;
  /** One of the test's world, with a TPM. */
  readonly machine: MachineView;
  /** One that the platform knows, and that has none. */
  readonly machineWithoutTpm?: MachineView;
}

/** The controller's: a platform that takes longer is asked again later. */
const { maxAskMs: ASK_LIMIT_MS } = LIMITS;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const PEM = /^-----BEGIN (PUBLIC KEY|CERTIFICATE)-----\r?\n[A-Za-z0-9+/=\r\n]+-----END \1-----\s*$/;

export function endorsementKeyChecks(input: EndorsementKeyConformance): readonly ConformanceCheck[] {
  const { source, machine, machineWithoutTpm } = input;
  const call = (of: MachineView) => (signal: AbortSignal) => source.endorsementKeyOf(of, { signal });
  const ask = (of: MachineView) => bounded({ what: "endorsementKeyOf", limitMs: ASK_LIMIT_MS }, call(of));
  return [
    check("the source of endorsement keys has a name", async () => {
      must(typeof source.name === "string" && source.name !== "", "name must be a text");
    }),
    check("the endorsement key of a Machine is a key or its digest, twice the same", async () => {
      const key: unknown = await ask(machine);
      const isKey = typeof key === "string" && (DIGEST.test(key) || PEM.test(key));
      must(isKey, `it must be sha256:<hex>, a PUBLIC KEY or a CERTIFICATE; it is ${shown(key)}`);
      must(key === (await ask(machine)), "two answers about one Machine differ");
    }),
    check("a Machine without a TPM has no endorsement key", async () => {
      if (machineWithoutTpm === undefined) return;
      const key: unknown = await ask(machineWithoutTpm);
      must(key === undefined, `it must be undefined; it is ${shown(key)}`);
    }),
    check("another Machine does not have this Machine's endorsement key", async () => {
      const key = await ask(machine);
      must(!(await isAnsweredWith(key, () => ask(otherThan(machine)))), "a Machine that nobody knows has it");
    }),
    check("asking for endorsement keys ends when it is told to", async () => {
      await mustEnd("endorsementKeyOf", ASK_LIMIT_MS, call(machine));
    }),
  ];
}

function otherThan(machine: MachineView): MachineView {
  const name = `${machine.name}-other`;
  const providerId = machine.providerId === undefined ? undefined : `${machine.providerId}-other`;
  return { ...machine, name, providerId, uid: "00000000-0000-4000-8000-000000000000", addresses: [] };
}

/** Of a Machine that the platform does not know it may say nothing, or that it cannot say. */
async function isAnsweredWith(key: string | undefined, ask: () => Promise<string | undefined>): Promise<boolean> {
  const [asked] = await Promise.allSettled([ask()]);
  return asked.status === "fulfilled" && asked.value === key;
}

function shown(key: unknown): string {
  return typeof key === "string" ? `a text that begins ${JSON.stringify(key.slice(0, 30))}` : `of type ${typeof key}`;
}
