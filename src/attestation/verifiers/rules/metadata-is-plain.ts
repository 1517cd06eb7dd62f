// H2. A creator can set finalizers and owners, and so keep an object that nobody can delete.
import { pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";

export const metadataIsPlain: Rule<EvidenceFacts> = {
  id: "metadata-is-plain",
  sentence: "the request has neither finalizers nor owners",
  judge: ({ object }) =>
    object.hasFinalizers || object.hasOwnerReferences
      ? refuse("MetadataNotAllowed", "a request with evidence must have neither finalizers nor owner references")
      : pass(),
};
