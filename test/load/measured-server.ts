// The embedded server as a process of its own that knows how long it keeps others waiting: the processor time of the
// longest turn of its event loop. Processor time, because other processes of the machine must not count. Asked over
// IPC.

import { openSync, readSync } from "node:fs";
import { startTestApiServer } from "../fakes/api-server.ts";

const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
const buffer = Buffer.alloc(64);

/** Nanoseconds that the main thread has run, as the kernel counts them: to some milliseconds. */
function ranMs(): number {
  const length = readSync(file, buffer, 0, buffer.length, 0);
  return Number(buffer.toString("latin1", 0, length).split(" ")[0]) / 1e6;
}

let measured: { longestMs: number; beganMs: number } | undefined;

function watchTurns(): void {
  const current = { longestMs: 0, beganMs: ranMs() };
  measured = current;
  let before = ranMs();
  const look = () => {
    const now = ranMs();
    current.longestMs = Math.max(current.longestMs, now - before);
    before = now;
    if (measured === current) setImmediate(look);
  };
  setImmediate(look);
}

const server = await startTestApiServer(JSON.parse(process.argv[2] ?? "{}"));
process.on("message", (message) => {
  if (message === "begin") {
    watchTurns();
    process.send?.("begun");
  } else if (message === "end") {
    const { longestMs = 0, beganMs = 0 } = measured ?? {};
    measured = undefined;
    process.send?.({ longestMs, allMs: ranMs() - beganMs, rssBytes: process.memoryUsage.rss() });
  }
});
process.on("disconnect", () => process.exit(0));
const { port, caPem, caKeyPem, adminCertPem, adminKeyPem } = server;
process.send?.({ port, caPem, caKeyPem, adminCertPem, adminKeyPem });
