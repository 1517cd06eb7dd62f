// A peer that connects and does not shake hands holds a descriptor and memory for nothing: the server hangs up on it.

import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { startTestApiServer } from "../fakes/api-server.ts";
import { patient } from "../patience.ts";

it("a connection without a handshake is closed by the server", { timeout: patient(60_000) }, async () => {
  const server = await startTestApiServer();
  const silent = connect({ port: server.port, host: "127.0.0.1" });
  await once(silent, "connect");
  const beganMs = performance.now();
  await once(silent.resume(), "close");
  // Not at once either: a slow line is given time.
  expect(performance.now() - beganMs).toBeGreaterThan(5_000);
  await server.close();
});
