// The operator's list of machines:
//
//   { "rack-7": { "key": "-----BEGIN PUBLIC KEY-----…", "names": ["rack-7.example", "10.0.0.7"] } }
import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { exactly, type JsonObject, type JsonValue } from "@countersign/sdk";

export interface EnrolledMachine {
  readonly key: KeyObject;
  /** SHA-256 of the key as SubjectPublicKeyInfo, hex. */
  readonly fingerprint: string;
  /** What it may answer to. */
  readonly names: readonly string[];
}

export type Enrolled = ReadonlyMap<string, EnrolledMachine>;

/** Throws where the list is wrong: a list that is used in part would be worse than none. */
export function parseEnrolled(text: string): Enrolled {
  const machines = JSON.parse(text) as JsonObject;
  return new Map(Object.entries(machines).map(([machine, value]) => [machine, parseMachine(machine, value)]));
}

function parseMachine(machine: string, value: JsonValue): EnrolledMachine {
  const { key: pem, names } = exactly(value, ["key", "names"]) ?? {};
  if (typeof pem !== "string" || !isNames(names)) throw new TypeError(`machine ${machine} must have a key and names`);
  const key = createPublicKey(pem);
  if (key.asymmetricKeyType !== "ed25519") throw new TypeError(`the key of machine ${machine} must be an Ed25519 key`);
  const spki = key.export({ type: "spki", format: "der" });
  return { key, fingerprint: createHash("sha256").update(spki).digest("hex"), names };
}

function isNames(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
