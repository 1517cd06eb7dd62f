// Sources 2 and 3. An operator or the platform says which endorsement key this very machine has. Several must agree, and one
// that should know and cannot be asked is waited for: never a fall to a weaker level.
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
}: EndorsementFacts): readonly { readonly name: string; readonly key: string }[] {
  const enrolled = identity.kind === "Present" ? identity.value.spec.tpm?.ek.spkiSha256 : undefined;
  const others = sources.flatMap(({ name, statement }) =>
    statement.kind === "Present" ? [{ name, key: statement.value }] : [],
  );
  return enrolled === undefined ? others : [{ name: "operator", key: enrolled }, ...others];
}
