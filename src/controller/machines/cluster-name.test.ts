import { describe, expect, it } from "vitest";
import { requireOneNamespace } from "./cluster-name.ts";
import { namespacesIn } from "./match.ts";

describe("a cluster's name", () => {
  it.each([
    ["one namespace", { name: "east" }, ["fleet/east", "fleet/east"]],
    ["no namespace that can be seen", { name: "east" }, []],
    ["two, and it was said which", { name: "east", namespace: "fleet" }, ["fleet/east", "west/east"]],
  ])("is enough for Machines of %s", (_, cluster, places) => {
    expect(() => requireOneNamespace(cluster, namespacesIn(places))).not.toThrow();
  });

  it("is not enough for Machines of two namespaces, which are named", () => {
    const places = namespacesIn(["west/east", "fleet/east", "west/east"]);
    expect(() => requireOneNamespace({ name: "east" }, places)).toThrow(
      expect.objectContaining({
        code: "bad-config",
        message:
          "--cluster-name east is the name of fleet/east, west/east: say which as NAMESPACE/east, and give the others names of their own",
      }),
    );
  });
});
