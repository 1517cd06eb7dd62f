// docs/metrics.md against the sources (names and types, both ways) and against deploy/alerts.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Fault } from "../../src/kernel/outcome/index.ts";
import { createDaemonMetrics } from "../../src/node/daemon/metrics.ts";
import { parsePair } from "../../src/platform/pair/index.ts";
import { aNodeCa } from "../builders/node-ca.ts";
import { createManualClock } from "../fakes/clock.ts";

const ROOT = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/metrics.md", ROOT), "utf8");

function sources(): readonly string[] {
  return readdirSync(new URL("src/", ROOT), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(new URL(`src/${file}`, ROOT), "utf8"));
}

const MADE = /\.(counter|gauge|histogram|reading)\(\s*\{\s*name: "([a-z_]+)"([^}]*)\}/g;

/** Name → type of the metrics whose name is written out where they are made. */
function written(): readonly (readonly [string, string])[] {
  return sources().flatMap((text) =>
    [...text.matchAll(MADE)].map(([, kind = "", name = "", rest = ""]) => {
      const type = kind === "reading" ? (/type: "([a-z]+)"/.exec(rest)?.[1] ?? "") : kind;
      return [name, type] as const;
    }),
  );
}

/** The daemon's names are made of the certificate's purpose: what it exposes once each thing has happened. */
function exposed(): readonly (readonly [string, string])[] {
  const metrics = createDaemonMetrics(createManualClock());
  const { certificatePem, keyPem } = aNodeCa().issueNode();
  const pair = parsePair(certificatePem + keyPem);
  for (const purpose of ["client", "server"] as const) {
    const tell = metrics.follow(purpose, () => pair);
    tell({ kind: "request", state: { kind: "pending", approved: false, why: "" } });
    tell({ kind: "failed", fault: new Fault("io-failed", "full"), retryMs: 0 });
    tell({ kind: "using", pair, previous: pair });
  }
  return [...metrics.expose().matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(
    ([, name = "", type = ""]) => [name, type] as const,
  );
}

const made = new Map([...written(), ...exposed()]);
const documented = new Map(
  [...page.matchAll(/^\| `([a-z_]+)` \| (counter|gauge|histogram) \|/gm)].map(([, name = "", type = ""]) => [
    name,
    type,
  ]),
);

const inOrder = (metrics: ReadonlyMap<string, string>) => Object.fromEntries([...metrics].toSorted());

describe("docs/metrics.md", () => {
  it("lists every metric that the code makes, and no other, with its type", () => {
    expect(made.size).toBeGreaterThan(40);
    expect(inOrder(documented)).toEqual(inOrder(made));
  });

  it("says what each means", () => {
    const prose = page.replaceAll(/^\|.*$/gm, "");
    const own = [...documented.keys()].filter((name) => !/^(process|nodejs)_/.test(name));
    const isExplained = (name: string) =>
      prose.includes(`\`${name}\``) ||
      [...prose.matchAll(/`…(_[a-z_]+)`/g)].some(([, ending = ""]) => name.endsWith(ending));
    expect(own.filter((name) => !isExplained(name))).toEqual([]);
  });

  it("says what each alert of deploy/alerts reads, and no more", () => {
    const files = readdirSync(new URL("deploy/alerts/", ROOT));
    const rules = files.flatMap((file) => {
      const { groups } = parse(readFileSync(new URL(`deploy/alerts/${file}`, ROOT), "utf8"));
      return groups.flatMap((group: { readonly rules: readonly unknown[] }) => group.rules);
    }) as readonly { readonly alert: string; readonly expr: string }[];
    const reads = rules.flatMap(({ alert, expr }) =>
      [...new Set(expr.match(/\b(?:kube|kubelet|countersign)_\w+/g) ?? [])].map((metric) => `${alert} ${metric}`),
    );
    const said = [...page.matchAll(/^\| `([A-Za-z]+)` \| `([a-z_]+)` \|$/gm)].map(
      ([, alert, metric]) => `${alert} ${metric}`,
    );
    expect(said.toSorted()).toEqual(reads.toSorted());
    const foreign = said.filter((line) => !documented.has(line.split(" ")[1] ?? ""));
    expect(foreign.every((line) => line.includes(" kube_certificatesigningrequest_"))).toBe(true);
  });
});
