import { describe, expect, it } from "vitest";
import type { Pod } from "../../../../api/core/index.ts";
import { mirrorErrors } from "./change-errors.ts";

const pod = (mark?: string): Pod => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { annotations: { other: "x", ...(mark === undefined ? {} : { "kubernetes.io/config.mirror": mark }) } },
});

describe("the mark of a mirror pod", () => {
  it("stays as it was created", () => {
    expect(mirrorErrors(pod("a"), pod("a"))).toEqual([]);
    expect(mirrorErrors(pod(), pod())).toEqual([]);
  });

  it.each([
    ["added", pod("a"), pod(), "may not add mirror pod annotation"],
    ["changed", pod("b"), pod("a"), "may not remove or update mirror pod annotation"],
    ["removed", pod(), pod("a"), "may not remove or update mirror pod annotation"],
    ["emptied", pod(""), pod("a"), "may not remove or update mirror pod annotation"],
  ])("is not %s", (_how, next, current, detail) => {
    const field = "metadata.annotations[kubernetes.io/config.mirror]";
    expect(mirrorErrors(next, current)).toEqual([{ type: "Forbidden", field, detail }]);
  });
});
