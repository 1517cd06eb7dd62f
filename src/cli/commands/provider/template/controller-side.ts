// What runs in the controller: the verifier, which believes the keys of a file.

export function verifierSide(name: string): string {
  return `// The controller's end: gather asks the platform (here: a file), the judges are pure and strict.
//
// Settings: machinesFile, JSON of machine to its public key (PEM) and names. Put your platform's answer in its place.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Answer, bytesOf, exactly, type JsonObject, type Question, textSetting, type Verifier } from "@countersign/sdk";
import { statementOf } from "./statement.ts";

interface Machine {
  readonly key: string;
  readonly names: readonly string[];
}
type Machines = ReadonlyMap<string, Machine>;

export function createVerifier(settings: JsonObject): Verifier<Machines> {
  const machinesFile = textSetting(settings, "machinesFile");
  return {
    name: "${name}",
    contractVersion: 1,
    versions: [1],
    freshness: "challenge",
    gatherLimitMs: 2_000,
    gather: async (_, { signal }) => {
      const machines = JSON.parse(await readFile(machinesFile, { encoding: "utf8", signal })) as Record<string, Machine>;
      return new Map(Object.entries(machines));
    },
    verifyClient: judge,
    verifyServing: (question, machines) => judgeNames(question, machines) ?? judge(question, machines),
  };
}

function judge(question: Question, machines: Machines): Answer {
  const machine = machineOf(question, machines);
  if (machine === undefined) return refused("MachineUnknown", "the platform knows no machine of this provider ID");
  const signature = bytesOf(exactly(question.evidence, ["signature"])?.signature);
  if (signature === undefined) return refused("EvidenceMalformed", "evidence must be a signature in base64");
  const key = createPublicKey(machine.key);
  if (!verify(null, statementOf(question.request.digest), key, signature))
    return refused("SignatureInvalid", "the machine's key did not sign this exchange");
  const fingerprint = createHash("sha256").update(key.export({ type: "spki", format: "der" })).digest("hex");
  if (question.pins !== undefined && question.pins["key"] !== fingerprint)
    return refused("IdentityConflict", "the machine had another key before");
  return { kind: "Attested", level: "Key", pins: { key: fingerprint } };
}

function judgeNames(question: Question, machines: Machines): Answer | undefined {
  const own = machineOf(question, machines)?.names ?? [];
  const foreign = question.names.find((name) => !own.includes(name));
  return foreign === undefined ? undefined : refused("SanNotAllowed", \`the machine does not have the name \${foreign}\`);
}

function machineOf({ request }: Question, machines: Machines): Machine | undefined {
  const prefix = "${name}:///";
  return request.providerId.startsWith(prefix) ? machines.get(request.providerId.slice(prefix.length)) : undefined;
}

function refused(reason: string, message: string): Answer {
  return { kind: "Refused", reason, message };
}
`;
}
