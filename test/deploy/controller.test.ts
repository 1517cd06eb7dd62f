// What is written for operators of the controller, held to the program: the Deployment's flags are taken, and alerts
// and guide name metrics and flags that exist.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { FLAG_NAMES, parseCommandLine } from "../../src/controller/command/command-line.ts";
import { CONTROLLER_NAMES } from "../../src/controller/index.ts";
import { STRICTER_RULES } from "../../src/controller/judging/chains.ts";

const root = new URL("../../", import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), "utf8");
const guide = textOf("docs/guides/controller.md");

/** Where metrics of the controller are made. */
const sources = readdirSync(new URL("src/controller/", root), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => textOf(`src/controller/${path}`))
  .join("\n");
const metricsIn = (text: string) => [...new Set(text.match(/\bcountersign_[a-z_]+[a-z]\b/g) ?? [])];

describe("deploy/controller.yaml", () => {
  const [deployment] = parseAllDocuments(textOf("deploy/controller.yaml")).map((document) => document.toJS());
  const { spec } = deployment.spec.template;

  it("starts the controller with flags that it takes, and probes where it answers", () => {
    const [container] = spec.containers;
    const line = parseCommandLine(container.args);
    expect(line).toMatchObject({ election: { namespace: deployment.metadata.namespace } });
    expect(line).toMatchObject({ statusAddress: { port: container.ports[0].containerPort } });
  });

  it("has two replicas, never on one machine", () => {
    expect(deployment.spec.replicas).toBe(2);
    expect(spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution).toHaveLength(1);
  });
});

describe("deploy/alerts/countersign-controller.rules.yaml", () => {
  const { groups } = parse(textOf("deploy/alerts/countersign-controller.rules.yaml"));
  const rules: { alert: string; expr: string }[] = groups.flatMap((group: { rules: unknown[] }) => group.rules);

  it.each(rules.map((rule) => [rule.alert, rule.expr]))("%s looks at metrics that there are", (_, expr) => {
    expect(metricsIn(expr)).not.toEqual([]);
    for (const name of metricsIn(expr)) expect(sources).toContain(`"${name}"`);
  });
});

describe("docs/guides/controller.md", () => {
  it("names metrics that there are", () => {
    expect(metricsIn(guide).length).toBeGreaterThan(5);
    for (const name of metricsIn(guide)) expect(sources).toContain(`"${name}"`);
  });

  it("names loops and flags that there are", () => {
    const chosen = [...guide.matchAll(/`--controllers=([a-z*,-]+)`/g)].map(([, list = ""]) => list);
    expect(chosen.length).toBeGreaterThan(1);
    for (const word of chosen.flatMap((list) => list.split(","))) {
      expect(["*", ...CONTROLLER_NAMES]).toContain(word.replace(/^-/, ""));
    }
    const flags = [...guide.matchAll(/`--([a-z-]+)(?:`|[ =])/g)].map(([, name = ""]) => name);
    for (const name of flags) expect([...FLAG_NAMES, "against", "anyway"]).toContain(name);
  });

  it("counts the stricter rules as there are, and so does docs/rules.md", () => {
    const words = "no one two three four five six seven eight nine ten eleven twelve".split(" ");
    const count = words[STRICTER_RULES.length] ?? "";
    expect(/\[(\w+) stricter rules\]/.exec(guide)?.[1]).toBe(count);
    const [, section = ""] = textOf("docs/rules.md").split("## Stricter than kube-controller-manager, on purpose");
    expect(/(\w+) rules refuse/.exec(section)?.[1]?.toLowerCase()).toBe(count);
    const listed = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, id = ""]) => id);
    expect(listed.toSorted()).toEqual(STRICTER_RULES.toSorted());
  });

  it("names files that there are", () => {
    for (const [, path = ""] of guide.matchAll(/\b(deploy\/[a-z/-]+(?:\.[a-z.]+)?[a-z])\b/g)) {
      expect(() => readFileSync(new URL(path, root)), path).not.toThrow(/ENOENT/);
    }
  });
});
