// What this process costs, in the names every dashboard knows.

import { readdirSync } from "node:fs";
import process from "node:process";
import type { Metrics } from "./metrics.ts";

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
