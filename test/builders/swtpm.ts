// A software TPM for tests: swtpm in a temporary directory, on Unix sockets, with an endorsement-key certificate of a
// local CA where asked for. Where it is not installed, suites say so and skip.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { patient } from "../patience.ts";

export interface Swtpm {
  /** For openTpm. */
  readonly address: string;
  /** For TPM2TOOLS_TCTI. */
  readonly tcti: string;
  readonly directory: string;
  readonly socketPath: string;
  readonly process: ChildProcess;
  /** Root, then issuing CA, in PEM; empty without `certificates`. */
  readonly authorities: readonly string[];
  stop(): Promise<void>;
}

export interface SwtpmOptions {
  /** Makes EK certificates: a second of setup. */
  readonly certificates?: boolean;
  readonly rsaBits?: 2048 | 3072;
  /** Goes on with the state of an earlier one. */
  readonly directory?: string;
  readonly flags?: string;
}

export function missingTools(...tools: readonly string[]): string | undefined {
  const missing = tools.filter((tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0);
  return missing.length === 0
    ? undefined
    : `not installed: ${missing.join(", ")} (packages swtpm, swtpm-tools, tpm2-tools)`;
}

const START_LIMIT_MS = patient(10_000);

export async function startSwtpm(options: SwtpmOptions = {}): Promise<Swtpm> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "countersign-swtpm-"));
  const state = join(directory, "state");
  mkdirSync(state, { recursive: true });
  if (options.certificates === true && options.directory === undefined) setUp(directory, options);
  const socketPath = join(directory, "tpm.sock");
  // A killed one leaves its sockets behind.
  for (const path of [socketPath, `${socketPath}.ctrl`]) rmSync(path, { force: true });
  const server = ["--server", `type=unixio,path=${socketPath}`, "--ctrl", `type=unixio,path=${socketPath}.ctrl`];
  const flags = ["--flags", options.flags ?? "not-need-init,startup-clear"];
  const args = ["socket", "--tpm2", "--tpmstate", `dir=${state}`, ...server, ...flags];
  const child = spawn("swtpm", args, { stdio: ["ignore", "ignore", "pipe"] });
  await untilListening(child, socketPath);
  const tcti = `swtpm:path=${socketPath}`;
  const authorities = ["ca/swtpm-localca-rootca-cert.pem", "ca/issuercert.pem"]
    .map((name) => join(directory, name))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "utf8"));
  const stop = async () => {
    await end(child);
    if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
  };
  return { address: tcti, tcti, directory, socketPath, process: child, authorities, stop };
}

/** The file is there a moment before anybody listens. */
async function untilListening(child: ChildProcess, socketPath: string): Promise<void> {
  const end = Date.now() + START_LIMIT_MS;
  while (!(existsSync(`${socketPath}.ctrl`) && (await takesConnections(socketPath)))) {
    if (child.exitCode !== null || Date.now() > end)
      throw new Error(`swtpm did not start (exit code ${child.exitCode})`);
    await delay(10);
  }
}

function takesConnections(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const answer = (isTaken: boolean) => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}

function setUp(directory: string, { rsaBits = 2048 }: SwtpmOptions): void {
  const ca = join(directory, "ca");
  mkdirSync(ca, { recursive: true });
  const write = (name: string, lines: readonly string[]) => {
    const path = join(directory, name);
    writeFileSync(path, `${lines.join("\n")}\n`);
    return path;
  };
  const caConfig = write("localca.conf", [
    `statedir = ${ca}`,
    `signingkey = ${ca}/signkey.pem`,
    `issuercert = ${ca}/issuercert.pem`,
    `certserial = ${ca}/certserial`,
  ]);
  const caOptions = write("localca.options", [
    "--platform-manufacturer Test",
    "--platform-version 1",
    "--platform-model Test",
  ]);
  const config = write("setup.conf", [
    "create_certs_tool = /usr/bin/swtpm_localca",
    `create_certs_tool_config = ${caConfig}`,
    `create_certs_tool_options = ${caOptions}`,
    "active_pcr_banks = sha256",
  ]);
  const keySize = rsaBits === 2048 ? [] : ["--rsa-keysize", String(rsaBits)];
  const args = ["--tpm2", "--tpm-state", `dir://${join(directory, "state")}`, "--config", config, "--create-ek-cert"];
  const more = ["--lock-nvram", "--overwrite", "--pcr-banks", "sha256", "--vmid", "test-machine", ...keySize];
  const run = spawnSync("swtpm_setup", [...args, ...more], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(`swtpm_setup failed: ${run.stdout}${run.stderr}`);
}
