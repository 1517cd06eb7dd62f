// H16. Somebody vouches for the endorsement key, and no other live identity bears it.
import { type Finding, notYet, pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { withReading } from "../../with-evidence.ts";
import { describeHolders, type EndorsementFacts } from "../facts.ts";
import { judgeTrust } from "../trust/index.ts";

const RETRY_ENDORSER_MS = 10_000;
const RETRY_UNREAD_MS = 2_000;

export const endorsementKeyIsTrusted: Rule<EndorsementFacts> = {
  id: "endorsement-key-is-trusted",
  sentence: "the endorsement key is pinned, bound, listed or allowed at first use, and bears one live identity",
  judge: (facts) =>
    withReading(facts.keys.endorsementKey, (key) => {
      const answer = judgeTrust(key, facts);
      switch (answer.kind) {
        case "Trusted":
          return judgeHolders(facts, `${answer.level}: ${answer.note}`);
        case "Refused":
          return refuse(answer.reason, answer.message);
        case "Waiting":
          return notYet(answer.reason, answer.message, RETRY_ENDORSER_MS);
        case "Silent":
          return refuse(
            "EndorsementKeyUntrusted",
            `nobody vouches for the endorsement key: ${answer.why ?? "unknown"}`,
          );
      }
    }),
};

function judgeHolders({ otherHolders }: EndorsementFacts, note: string): Finding {
  if (otherHolders.kind === "NotRead") return notYet("IdentityNotRead", otherHolders.why, RETRY_UNREAD_MS);
  if (otherHolders.kind === "Absent" || otherHolders.value.length === 0) return pass(note);
  return refuse("EndorsementKeyInUse", `the TPM is that of ${describeHolders(otherHolders.value)}`);
}
