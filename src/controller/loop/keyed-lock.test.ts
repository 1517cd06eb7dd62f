import { expect, it } from "vitest";
import { createKeyedLock } from "./keyed-lock.ts";

function aGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

it("runs the work of one key in order, one at a time, and other keys beside it", async () => {
  const lock = createKeyedLock();
  const gate = aGate();
  const steps: string[] = [];
  const first = lock.run("a", async () => {
    steps.push("first begins");
    await gate.opened;
    steps.push("first ends");
  });
  const second = lock.run("a", async () => steps.push("second"));
  await lock.run("b", async () => steps.push("other"));
  gate.open();
  await Promise.all([first, second]);
  expect(steps).toEqual(["first begins", "other", "first ends", "second"]);
});

it("hands a failure to its caller and goes on with the next", async () => {
  const lock = createKeyedLock();
  const failing = lock.run("a", () => Promise.reject(new RangeError("broken")));
  const next = lock.run("a", async () => "fine");
  await expect(failing).rejects.toThrow("broken");
  await expect(next).resolves.toBe("fine");
});
