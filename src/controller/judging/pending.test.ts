import { expect, it } from "vitest";
import { createPending, providerKey } from "./pending.ts";

it("finds the pending requests of a node name until they are forgotten", () => {
  const pending = createPending();
  pending.note("csr-1", ["worker-3"]);
  pending.note("csr-2", ["worker-3", providerKey("aws:///i-2")]);
  pending.note("csr-1", ["worker-3"]);
  expect(pending.of("worker-3").toSorted()).toEqual(["csr-1", "csr-2"]);
  pending.forget("csr-1");
  pending.forget("unknown");
  expect(pending.of("worker-3")).toEqual(["csr-2"]);
  expect(pending.of(providerKey("aws:///i-2"))).toEqual(["csr-2"]);
  pending.note("csr-2", ["worker-4"]);
  expect(pending.of("worker-3")).toEqual([]);
  expect(pending.of(providerKey("aws:///i-2"))).toEqual([]);
  expect([...pending.all()]).toEqual(["csr-2"]);
});
