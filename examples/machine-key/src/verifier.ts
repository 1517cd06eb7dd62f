// The controller's end: the machine of the provider ID must be enrolled, and its key must have signed this exchange.
//
// Settings: `enrolledFile`, the operator's list of machines, read for every question: enrolling needs no restart.
import { verify } from "node:crypto";
import { readFile } from "node:fs/promises";
import {
  type Answer,
  bytesOf,
  exactly,
  type JsonObject,
  type Question,
  textSetting,
  type Verifier,
} from "@countersign/sdk";
import { type Enrolled, type EnrolledMachine, parseEnrolled } from "./enrolled.ts";
import { machineOf, statementOf } from "./statement.ts";

const GATHER_LIMIT_MS = 2_000;

export function createVerifier(settings: JsonObject): Verifier<Enrolled> {
  const enrolledFile = textSetting(settings, "enrolledFile");
  return {
    name: "machine-key",
    contractVersion: 1,
    versions: [1],
    freshness: "challenge",
    gatherLimitMs: GATHER_LIMIT_MS,
    gather: async (_, { signal }) => parseEnrolled(await readFile(enrolledFile, { encoding: "utf8", signal })),
    verifyClient: judge,
    verifyServing: (question, enrolled) => judgeNames(question, enrolled) ?? judge(question, enrolled),
  };
}

function judge(question: Question, enrolled: Enrolled): Answer {
  const machine = enrolledMachine(question, enrolled);
  if (machine === undefined) return refused("MachineNotEnrolled", "no key was enrolled for this provider ID");
  const signature = bytesOf(exactly(question.evidence, ["signature"])?.signature);
  if (signature === undefined)
    return refused("EvidenceMalformed", "evidence must be a signature in base64, and nothing else");
  if (!verify(null, statementOf(question.request.digest), machine.key, signature))
    return refused("SignatureInvalid", "the enrolled key did not sign this exchange");
  const { pins } = question;
  if (pins !== undefined && pins["key"] !== machine.fingerprint)
    return refused("IdentityConflict", "another key is enrolled now than the one that was pinned");
  return { kind: "Attested", level: "EnrolledKey", pins: { key: machine.fingerprint } };
}

function judgeNames(question: Question, enrolled: Enrolled): Answer | undefined {
  const names = enrolledMachine(question, enrolled)?.names ?? [];
  const foreign = question.names.find((name) => !names.includes(name));
  return foreign === undefined
    ? undefined
    : refused("SanNotAllowed", `the machine was not enrolled with the name ${foreign}`);
}

function enrolledMachine({ request }: Question, enrolled: Enrolled): EnrolledMachine | undefined {
  const machine = machineOf(request.providerId);
  return machine === undefined ? undefined : enrolled.get(machine);
}

function refused(reason: string, message: string): Answer {
  return { kind: "Refused", reason, message };
}
