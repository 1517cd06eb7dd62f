// Section 5, rule 4, for providers without hardware of their own: a first join comes soon after its Machine was made. Who shows a
// document of that instance a week later has found it somewhere.
import { pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { isOpened, pinsOf } from "../identity.ts";
import { withEvidence } from "../with-evidence.ts";

export const machineIsYoung: Rule<EvidenceFacts> = {
  id: "machine-is-young",
  sentence: "a first join comes within the joining window of its Machine",
  judge: withEvidence(({ envelope }, facts) => {
    const { machines, identity, joinWindowMs, nowMs } = facts;
    if (envelope.intent !== "join") return pass();
    const machine = machines.kind === "Present" ? machines.value[0] : undefined;
    if (machine === undefined || machine.isPoolMember === true) return pass("no Machine has an age here");
    const isKnown = pinsOf(identity)?.provider === envelope.protocol.provider;
    if (isKnown || isOpened(facts, envelope)) return pass("not the first join");
    const ageMs = nowMs - machine.createdMs;
    return ageMs <= joinWindowMs
      ? pass()
      : refuse("JoiningWindowIsOver", `Machine ${machine.namespace}/${machine.name} was made ${minutes(ageMs)} ago`);
  }),
};

function minutes(ms: number): string {
  return Number.isFinite(ms) ? `${Math.round(ms / 60_000)} minutes` : "nobody knows how long";
}
