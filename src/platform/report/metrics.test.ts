import { describe, expect, it } from "vitest";
import { createMetrics } from "./metrics.ts";

describe("the text of metrics", () => {
  it("has help, type and series, with labels escaped", () => {
    const metrics = createMetrics();
    const counter = metrics.counter({ name: "c_total", help: "Counts." });
    counter.add({ path: 'a"b\\c\nd' });
    counter.add({ path: 'a"b\\c\nd' }, 2);
    metrics.gauge({ name: "unused", help: "Says nothing." });
    metrics.reading({ name: "r", help: "Is read.", type: "gauge" }, () => 4.5);
    expect(metrics.expose()).toBe(
      '# HELP c_total Counts.\n# TYPE c_total counter\nc_total{path="a\\"b\\\\c\\nd"} 3\n# HELP r Is ' +
        "read.\n# TYPE r gauge\nr 4.5\n",
    );
  });

  it("adds up the buckets of a histogram", () => {
    const metrics = createMetrics();
    const histogram = metrics.histogram({ name: "h", help: "Spreads.", buckets: [0.1, 1] });
    for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe({ verb: "GET" }, value);
    expect(metrics.expose()).toContain(
      [
        'h_bucket{verb="GET",le="0.1"} 2',
        'h_bucket{verb="GET",le="1"} 3',
        'h_bucket{verb="GET",le="+Inf"} 4',
        'h_sum{verb="GET"} 7.65',
        'h_count{verb="GET"} 4\n',
      ].join("\n"),
    );
  });

  it("does not grow with what somebody else chooses", () => {
    const metrics = createMetrics();
    const gauge = metrics.gauge({ name: "g", help: "Grows." });
    for (let at = 0; at < 10_100; at++) gauge.set({ at: String(at) }, at);
    expect(metrics.expose().split("\n").length).toBe(10_000 + 3);
  });
});
