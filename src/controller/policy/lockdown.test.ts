import { describe, expect, it } from "vitest";
import type { Bypass } from "./bypasses.ts";
import { askBypasses } from "./lockdown.ts";

const signal = AbortSignal.timeout(1_000);
const found: Bypass = { binding: "b", role: "r", subjects: ["Group g"], right: "nodeclient" };

function asking(allowed: readonly string[]) {
  const asked: string[] = [];
  const ask = async (right: "nodeclient" | "selfnodeclient", { groups }: { readonly groups: readonly string[] }) => {
    asked.push(`${right} ${groups[0]}`);
    return { right, isAllowed: allowed.includes(right) };
  };
  return { asked, access: { ask } as never };
}

describe("the API server's own word about the lock-down", () => {
  it("is asked for bootstrap tokens and for nodes", async () => {
    const { asked, access } = asking([]);
    expect(await askBypasses(access, [], signal)).toEqual([]);
    expect(asked).toEqual(["nodeclient system:bootstrappers", "selfnodeclient system:nodes"]);
  });

  it("names what no binding explains", async () => {
    const { access } = asking(["nodeclient", "selfnodeclient"]);
    expect(await askBypasses(access, [], signal)).toMatchObject([
      { right: "nodeclient", binding: expect.stringContaining("other than RBAC") },
      { right: "selfnodeclient", subjects: ["Group system:nodes"] },
    ]);
  });

  it("is not asked again about what a binding explains", async () => {
    const { asked, access } = asking(["nodeclient"]);
    expect(await askBypasses(access, [found], signal)).toEqual([]);
    expect(asked).toEqual(["selfnodeclient system:nodes"]);
  });
});
