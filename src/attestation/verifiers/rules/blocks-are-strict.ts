// H4. An API server reads the first block and tolerates anything around it; whoever is strict sees what it sees and no more.
import { pass, type Rule } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { withReading } from "../with-evidence.ts";

export const blocksAreStrict: Rule<EvidenceFacts> = {
  id: "blocks-are-strict",
  sentence: "the request is three PEM blocks in order, in their one spelling, and nothing else",
  judge: ({ reading }) => withReading(reading.blocks, () => pass()),
};
