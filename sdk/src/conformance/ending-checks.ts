// Calls must end when their signal fires: a kubelet waits for the machine's end, and every other request for the
// controller's.
import { bounded } from "./bounded.ts";
import { type Conformance, type ConformanceCheck, check, gatherLimitOf, questionFor } from "./world.ts";

/** Enough to notice a signal that has fired. */
const NOTICE_MS = 1_000;

export function endingChecks(input: Conformance): readonly ConformanceCheck[] {
  const { provider, verifier, nodeName = "conformance-1", callLimitMs = NOTICE_MS } = input;
  return [
    check("gathering ends when it is told to", async () => {
      const question = await questionFor(input);
      await mustEnd("gather", gatherLimitOf(input), (signal) => verifier.gather(question, { signal }));
    }),
    check("the provider ends when it is told to", async () => {
      const { request } = await questionFor(input);
      await mustEnd("providerId", callLimitMs, (signal) => provider.providerId({ nodeName, signal }));
      await mustEnd("hello", callLimitMs, async (signal) => await provider.hello?.(request, { nodeName, signal }));
      await mustEnd("attest", callLimitMs, (signal) => provider.attest(request, { nodeName, signal }));
    }),
  ];
}

/** With an answer or without one, told before it began and while it is at it. */
export async function mustEnd(
  what: string,
  limitMs: number,
  call: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  for (const isToldBefore of [true, false]) {
    const stop = new AbortController();
    if (isToldBefore) stop.abort();
    const ended = Promise.allSettled([(async () => await call(stop.signal))()]);
    stop.abort();
    await bounded({ what: `${what} was told to stop and`, limitMs: Math.min(limitMs, NOTICE_MS) }, () => ended);
  }
}
