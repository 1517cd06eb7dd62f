// Serving certificates: a node may answer under its own names and under no other.
import { type Conformance, type ConformanceCheck, check, must, mustAttest, mustRefuse, questionFor } from "./world.ts";

const SERVING = { purpose: "serving", intent: "renew" } as const;
const FOREIGN = "somebody-else.example";

export function servingChecks(input: Conformance): readonly ConformanceCheck[] {
  if (!input.provider.canServe) return [];
  const { servingNames = [] } = input;
  return [
    check("a name that is not the machine's is refused for serving", async () => {
      const question = await questionFor(input, SERVING);
      await mustRefuse(input, { ...question, names: [FOREIGN] });
      await mustRefuse(input, { ...question, names: [...servingNames, FOREIGN] });
    }),
    check("the machine's own names are allowed for serving", async () => {
      must(servingNames.length > 0, "servingNames must name what a machine that may serve answers to");
      await mustAttest(input, await questionFor(input, SERVING));
    }),
  ];
}
