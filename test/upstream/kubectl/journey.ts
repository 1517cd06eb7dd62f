// A kubectl journey: commands that a person types one after the other, with what must be seen. The same list runs on a
// real kube-apiserver and on the embedded one, each in a namespace of its own.

import { stringify } from "yaml";
import type { DifferenceName } from "./differences.ts";

export interface Step {
  /**
   * Arguments of kubectl, apart by blanks. `$word` stands for what an earlier step kept, `$name` for the namespace,
   * `$server` and `$now`.
   */
  readonly run: string;
  /** Standard input; the same words stand for the same things. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The exit code; 0 when left out. */
  readonly code?: number;
  /** What standard output and error must hold, after `canonical`. */
  readonly says?: RegExp | readonly RegExp[];
  /** Keeps the output, trimmed, for later steps. */
  readonly keepAs?: string;
  /** Where the two servers may say different things; everything else is compared. */
  readonly differs?: readonly DifferenceName[];
  /** Until it succeeds: for what a controller does a moment later. */
  readonly patiently?: boolean;
  /** Runs until all of `says` was seen, while `during` runs beside it. */
  readonly during?: readonly Step[];
}

export interface Journey {
  readonly title: string;
  readonly steps: readonly Step[];
}

type Manifest = Readonly<Record<string, unknown>>;

/** Input for `-f -`. */
export function manifests(...objects: readonly Manifest[]): string {
  return objects.map((object) => stringify(object)).join("---\n");
}

export function configMap(name: string, data: Readonly<Record<string, string>>, metadata: object = {}): Manifest {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

const MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";

/** What differs at every run or with the width of a column is replaced by its name. */
export function canonical(output: string): string {
  return output
    .replace(/^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ .*\n/gm, "") // kubectl's own log, such as of a watch that its timeout cut short
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uid>")
    .replace(/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g, "<time>")
    .replace(new RegExp(`\\b[A-Z][a-z]{2}, \\d{2} (${MONTHS}) \\d{4} \\d{2}:\\d{2}:\\d{2} [+-]\\d{4}`, "g"), "<time>")
    .replace(/(resourceVersion"?: )"\d+"/g, '$1"<version>"')
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<jwt>")
    .replace(/https:\/\/127\.0\.0\.1:\d+/g, "<server>")
    .replace(/(?<=\s|^|\()(\d+[smhd])+(?=\s|$|\)| ago)/gm, "<age>")
    .replace(/\b(kube-api-access|made)-[a-z0-9]{5}\b/g, "$1-<random>")
    .replace(/^(diff|---|\+\+\+) .*\/(LIVE|MERGED)-.*$/gm, "$1")
    .replace(/[ \t]+/g, " ")
    .replace(/ $/gm, "")
    .replace(/^-{3,}$/gm, "---")
    .trim();
}
