// Counters, gauges and histograms, and the text in which Prometheus reads them (exposition format 0.0.4). Own code,
// because the product needs three kinds of numbers and one page of text, and loading a client library would cost more
// than both.

import { readdirSync } from "node:fs";
import process from "node:process";

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(labels: Labels, by?: number): void;
}

export interface Gauge {
  set(labels: Labels, value: number): void;
  add(labels: Labels, by: number): void;
}

interface Histogram {
  observe(labels: Labels, value: number): void;
}

export type Reading = readonly [labels: Labels, value: number];

interface MetricOptions {
  readonly name: string;
  readonly help: string;
}

export interface Metrics {
  counter(options: MetricOptions): Counter;
  gauge(options: MetricOptions): Gauge;
  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram;
  /** A number, or one for each of several labels, that is asked for at each scrape: uptime, memory, queues. */
  reading(
    options: MetricOptions & { readonly type: "counter" | "gauge" },
    read: () => number | readonly Reading[],
  ): void;
  /** Everything, as Prometheus reads it. */
  expose(): string;
}

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Series of one metric. What a client can choose freely must not become a label; this catches what slips through. */
const MAX_SERIES = 10_000;

export function createMetrics(): Metrics {
  const families: (() => string)[] = [];

  function scalar(options: MetricOptions, type: "counter" | "gauge") {
    const series = new Map<string, number>();
    families.push(() =>
      familyText(
        options,
        type,
        [...series].map(([labels, value]) => line(options.name, labels, value)),
      ),
    );
    return {
      set: (labels: Labels, value: number) => put(series, labelText(labels), () => value),
      add: (labels: Labels, by = 1) => put(series, labelText(labels), (before = 0) => before + by),
    };
  }

  return {
    counter: (options) => scalar(options, "counter"),
    gauge: (options) => scalar(options, "gauge"),
    histogram: (options) => {
      const series = new Map<string, Observed>();
      families.push(() =>
        familyText(
          options,
          "histogram",
          [...series.values()].flatMap((one) => histogramLines(options, one)),
        ),
      );
      return {
        observe: (labels, value) => {
          const found = put(series, labelText(labels), (before) => before ?? observed(labels, options.buckets));
          if (found !== undefined) count(found, options.buckets, value);
        },
      };
    },
    reading: (options, read) => {
      families.push(() => {
        const found = read();
        const readings = typeof found === "number" ? [[{}, found] as const] : found.slice(0, MAX_SERIES);
        const lines = readings.map(([labels, value]) => line(options.name, labelText(labels), value));
        return familyText(options, options.type, lines);
      });
    },
    expose: () => families.map((text) => text()).join(""),
  };
}

function put<T>(series: Map<string, T>, key: string, next: (before: T | undefined) => T): T | undefined {
  const before = series.get(key);
  if (before === undefined && series.size >= MAX_SERIES) return undefined;
  const value = next(before);
  series.set(key, value);
  return value;
}

interface Observed {
  readonly labels: Labels;
  /** How many fell into each bucket alone; the text adds them up. */
  readonly counts: number[];
  sum: number;
  total: number;
}

function observed(labels: Labels, buckets: readonly number[]): Observed {
  return { labels, counts: buckets.map(() => 0), sum: 0, total: 0 };
}

function count(one: Observed, buckets: readonly number[], value: number): void {
  one.sum += value;
  one.total += 1;
  const at = buckets.findIndex((bound) => value <= bound);
  if (at >= 0) one.counts[at] = (one.counts[at] ?? 0) + 1;
}

function histogramLines({ name, buckets }: MetricOptions & { readonly buckets: readonly number[] }, one: Observed) {
  let below = 0;
  const lines = buckets.map((bound, at) => {
    below += one.counts[at] ?? 0;
    return line(`${name}_bucket`, labelText({ ...one.labels, le: String(bound) }), below);
  });
  const labels = labelText(one.labels);
  return [
    ...lines,
    line(`${name}_bucket`, labelText({ ...one.labels, le: "+Inf" }), one.total),
    line(`${name}_sum`, labels, one.sum),
    line(`${name}_count`, labels, one.total),
  ];
}

function familyText({ name, help }: MetricOptions, type: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels} ${value}\n`;
}

/** Labels never change, so a caller that counts with the same ones again pays for their text once. */
const texts = new WeakMap<Labels, string>();

function labelText(labels: Labels): string {
  const known = texts.get(labels);
  if (known !== undefined) return known;
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  const text = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
  texts.set(labels, text);
  return text;
}

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

// What this process costs, in the names every dashboard knows.

export function addProcessMetrics(metrics: Metrics, nowMs: number): void {
  const startSeconds = nowMs / 1_000 - process.uptime();
  metrics.reading(
    { name: "process_cpu_seconds_total", help: "User and system CPU time spent in seconds.", type: "counter" },
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  );
  metrics.reading(
    { name: "process_resident_memory_bytes", help: "Resident memory size in bytes.", type: "gauge" },
    () => process.memoryUsage.rss(),
  );
  metrics.reading(
    { name: "process_start_time_seconds", help: "Start of the process since the epoch in seconds.", type: "gauge" },
    () => startSeconds,
  );
  metrics.reading({ name: "process_open_fds", help: "Open file descriptors.", type: "gauge" }, openFiles);
  metrics.reading(
    { name: "nodejs_heap_size_used_bytes", help: "Used size of the JavaScript heap in bytes.", type: "gauge" },
    () => process.memoryUsage().heapUsed,
  );
}

function openFiles(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0; // no /proc here
  }
}
