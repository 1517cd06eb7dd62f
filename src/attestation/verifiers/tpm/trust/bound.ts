// Sources 2 and 3. An operator or the platform says which endorsement key this very machine has. Several must agree, and one
// that should know and cannot be asked is waited for: never a fall to a weaker level.
import type { NodeIdentity } from "../../../../api/countersign/index.ts";
import { openReset } from "../../identity.ts";
import type { EndorsementFacts } from "../facts.ts";
import { SILENT, type TrustSource } from "./source.ts";

export const bound: TrustSource = {
  id: "bound",
  sentence: "whoever says which endorsement key this machine has says this one",
  ask: ({ hash }, facts) => {
    const unread = facts.sources.find(({ statement }) => statement.kind === "NotRead");
    if (unread !== undefined)
      return { kind: "Waiting", reason: "EndorserUnavailable", message: `source ${unread.name} could not be asked` };
    const statements = statementsOf(facts);
    const [first] = statements;
    if (first === undefined) return SILENT;
    if (new Set(statements.map(({ key }) => key)).size > 1) {
      const names = statements.map(({ name }) => name).join(", ");
      return {
        kind: "Refused",
        reason: "EndorsementKeyConflict",
        message: `sources disagree on the endorsement key: ${names}`,
      };
    }
    return first.key === hash
      ? { kind: "Trusted", level: "Bound", note: `bound by ${first.name}` }
      : {
          kind: "Refused",
          reason: "EndorsementKeyUntrusted",
          message: `${first.name} says that this machine has another TPM`,
        };
  },
};

function statementsOf({
  identity,
  sources,
  nowMs,
}: EndorsementFacts): readonly { readonly name: string; readonly key: string }[] {
  const said = identity.kind === "Present" ? saidByOperator(identity.value, nowMs) : undefined;
  const others = sources.flatMap(({ name, statement }) =>
    statement.kind === "Present" ? [{ name, key: statement.value }] : [],
  );
  return said === undefined ? others : [{ name: "operator", key: said }, ...others];
}

/** Of an enrolment and a reset after it the younger word counts: the board was changed since. */
function saidByOperator(identity: NodeIdentity, nowMs: number): string | undefined {
  return openReset(identity, nowMs)?.ekSpkiSha256 ?? identity.spec.tpm?.ek.spkiSha256;
}
