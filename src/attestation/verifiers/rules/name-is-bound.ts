// H7. A copy of a request has the same content, hence the same name, hence collides with the original instead of racing it.
import { pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import { objectName } from "../../evidence/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { withEvidence } from "../with-evidence.ts";

export const nameIsBound: Rule<EvidenceFacts> = {
  id: "name-is-bound",
  sentence: "the object's name is the one that its content gives",
  judge: withEvidence(({ blocks, envelope, request }, { object }) => {
    const { step, body } = envelope;
    const named = { step, body, request: object.request, content: blocks.content, cri: request.tbs };
    return objectName(named) === object.name
      ? pass()
      : refuse("NameNotBound", "the object's name is not the one that its content gives");
  }),
};
