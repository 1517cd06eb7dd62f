// Our controller on a real API server, in two ways: inside the test's process, and as the program that operators run.

import { join } from "node:path";
import { type ControllerOptions, createController } from "../../../src/controller/index.ts";
import { systemClock } from "../../../src/platform/clock/index.ts";
import { randomBytes } from "../../../src/platform/keys/index.ts";
import { loadKubeconfigClient } from "../../../src/platform/kube/index.ts";
import { createLog } from "../../../src/platform/report/index.ts";
import type { ControlPlane } from "./control-plane.ts";
import { startProcess } from "./process.ts";
import { locateProgram } from "./program.ts";
import { logInAsController } from "./service-account.ts";
import { waitFor } from "./wait.ts";

export interface OurController {
  /** Authenticates as the controller's service account. */
  readonly kubeconfigPath: string;
  /** What it said so far, one JSON value a line. */
  log(): string;
  stop(): Promise<void>;
}

const READY_LIMIT_MS = 30_000;
/** Enough for the log of any one test. */
const ALL_LINES = 100_000;

export async function startOurController(
  controlPlane: ControlPlane,
  more: Partial<ControllerOptions> = {},
): Promise<OurController> {
  const kubeconfigPath = await logInAsController(controlPlane);
  const client = await loadKubeconfigClient(kubeconfigPath);
  const lines: string[] = [];
  const controller = createController({
    client,
    ca: { certPem: controlPlane.caPem, keyPem: controlPlane.caKeyPem },
    clock: systemClock,
    random: randomBytes,
    log: await createLog({ level: "debug", format: "json", destination: { write: (line) => lines.push(line) } }),
    replica: "upstream-test",
    allowInsecure: true,
    ...more,
  });
  const abort = new AbortController();
  const running = controller.run(abort.signal);
  const stop = async (): Promise<void> => {
    abort.abort();
    await running;
    await client.close();
  };
  try {
    await controller.waitUntilReady(AbortSignal.timeout(READY_LIMIT_MS));
  } catch (cause) {
    await stop();
    throw new Error(`our controller was not ready in ${READY_LIMIT_MS} ms\n${lines.slice(-25).join("")}`, { cause });
  }
  return { kubeconfigPath, log: () => lines.join(""), stop };
}

/** `node-attestation-controller` as it was built. */
export async function startOurControllerProgram(
  controlPlane: ControlPlane,
  flags: readonly string[] = [],
): Promise<OurController> {
  const kubeconfigPath = await logInAsController(controlPlane);
  const args = [
    locateProgram("node-attestation-controller"),
    `--kubeconfig=${kubeconfigPath}`,
    `--ca-cert=${join(controlPlane.pkiDir, "ca.crt")}`,
    `--ca-key=${join(controlPlane.pkiDir, "ca.key")}`,
    "--allow-insecure",
    "--log-level=debug",
    ...flags,
  ];
  const name = "node-attestation-controller";
  const server = await startProcess({ name, command: process.execPath, args, dir: controlPlane.dir });
  try {
    await waitFor({
      what: "our controller to start its loops",
      limitMs: READY_LIMIT_MS,
      servers: [server],
      probe: () => (isSigning(server.lastLines(ALL_LINES)) ? true : undefined),
    });
    return { kubeconfigPath, log: () => server.lastLines(ALL_LINES), stop: server.stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function isSigning(log: string): boolean {
  return log.split("\n").some((line) => line.includes('"loop started"') && line.includes('"loop":"signing"'));
}
