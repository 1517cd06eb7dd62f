// Serving certificates: a node may answer under its own names and under no other.
import {
  type Conformance,
  type ConformanceCheck,
  check,
  must,
  mustAttest,
  mustRefuse,
  questionFor,
  SERVING,
} from "./world.ts";

const FOREIGN = "somebody-else.example";

export function servingChecks(input: Conformance): readonly ConformanceCheck[] {
  const { servingNames = [] } = input;
  const foreign = check("a name that is not the machine's is refused for serving", async () => {
    // Whether or not the machine's end would ask for it: somebody else's may.
    const question = input.provider.canServe
      ? await questionFor(input, SERVING)
      : await questionFor(input).then((asked) => ({ ...asked, request: { ...asked.request, ...SERVING } }));
    await mustRefuse(input, { ...question, names: [FOREIGN] });
    await mustRefuse(input, { ...question, names: [...servingNames, FOREIGN] });
  });
  if (!input.provider.canServe) return [foreign];
  return [
    foreign,
    check("the machine's own names are allowed for serving", async () => {
      must(servingNames.length > 0, "servingNames must name what a machine that may serve answers to");
      await mustAttest(input, await questionFor(input, SERVING));
    }),
  ];
}
