import fc from "fast-check";
import { expect, it } from "vitest";
import { type IdentityOwner, identityNames, isIdentityOf, type NodeIdentity } from "./index.ts";

const words = fc.array(fc.constantFrom("a", "b", "c", "x".repeat(130)), { minLength: 1, maxLength: 3 });
const dotted = words.map((labels) => labels.join("."));
const owner: fc.Arbitrary<IdentityOwner> = fc.record({
  nodeName: dotted,
  clusterName: fc.option(dotted, { nil: undefined }),
});

it("an object is the identity of one owner, whatever the dots in the names of nodes and clusters", () => {
  fc.assert(
    fc.property(owner, owner, fc.nat(1), (one, other, which) => {
      const name = identityNames(one)[which] ?? "";
      expect(name).toMatch(/^[a-z0-9.]{1,253}$/);
      const identity = { apiVersion: "", kind: "", metadata: { name }, spec: one } as NodeIdentity;
      expect(isIdentityOf(identity, one)).toBe(true);
      const isSame = one.nodeName === other.nodeName && one.clusterName === other.clusterName;
      expect(isIdentityOf(identity, other)).toBe(isSame);
    }),
    { numRuns: 2_000 },
  );
});

it("every identity that has a plain name keeps it", () => {
  expect(identityNames({ nodeName: "ip-10-0-0-1.ec2.internal" })[0]).toBe("ip-10-0-0-1.ec2.internal");
  expect(identityNames({ nodeName: "worker-1", clusterName: "east" })[0]).toBe("east.worker-1");
});
