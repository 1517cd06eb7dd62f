// `countersign up`: a control plane in one process and one directory, until it is told to stop.

import { setFlagsFromString } from "node:v8";
import { parseToken } from "../../../api/bootstrap/index.ts";
import type { SdkVerifier } from "../../../attestation/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { type Plane, startPlane, storeToken } from "../../../plane/index.ts";
import { parseChoice } from "../../../platform/flags/index.ts";
import { createLog, LOG_LEVELS } from "../../../platform/report/index.ts";
import { untilAborted } from "../../../platform/signals/index.ts";
import type { Command, CommandContext, OptionValues } from "../../command.ts";
import { durationOption, flagOption, listOption, portOption, requiredText, textOption } from "../../options.ts";
import { readToken, TOKEN_OPTIONS } from "../../secret-input.ts";
import { readServerChoices, SERVER_OPTIONS } from "./server-options.ts";

export const clusterUp: Command = {
  options: [
    { flags: "--data-dir <path>", description: "where everything is kept", default: ".countersign/cluster" },
    { flags: "--host <address>", description: "address to listen on", default: "127.0.0.1" },
    { flags: "--port <number>", description: "port to listen on, 0 for a free one", default: "6443" },
    {
      flags: "--kubeconfig-out <file>",
      description: "the administrator's kubeconfig (default: in the data directory)",
    },
    { flags: "--allow-insecure", description: "also serve the signer whose requests prove nothing but a token" },
    {
      flags: "--provider-package <name[=file]...>",
      description: "installed packages with verifiers of attestation providers, and their settings",
    },
    {
      flags: "--without-controller",
      description: "only the API server and its storage; requests wait for a controller of your own",
    },
    ...TOKEN_OPTIONS,
    { flags: "--token-ttl <duration>", description: "how long the given token lives", default: "15m" },
    { flags: "--log-level <level>", description: `what it writes down: ${LOG_LEVELS.join(", ")}`, default: "warn" },
    ...SERVER_OPTIONS,
  ],
  examples: [
    "countersign up --data-dir ./cluster --kubeconfig-out admin.conf",
    "KUBECONFIG=admin.conf kubectl get csr,nodes",
  ],
  run: async (context, { options }) => {
    tuneEngine();
    const withoutController = flagOption(options, "withoutController");
    const allowInsecure = flagOption(options, "allowInsecure");
    if (withoutController && allowInsecure) {
      throw new Fault("bad-config", "--allow-insecure is for a controller, and --without-controller leaves it out");
    }
    const directory = requiredText(options, "dataDir");
    const text = await readToken(context, options);
    const token = text === undefined ? undefined : parseToken(text);
    const ttlMs = durationOption(options, "tokenTtl");
    const log = await createLog({ level: parseChoice("--log-level", requiredText(options, "logLevel"), LOG_LEVELS) });
    const plane = await startPlane({
      directory,
      host: listeningHost(options),
      port: portOption(options, "port"),
      kubeconfigOut: textOption(options, "kubeconfigOut") ?? `${directory}/admin.kubeconfig`,
      allowInsecure,
      verifiers: await loadVerifiers(options),
      withoutController,
      stop: context.stop,
      server: await readServerChoices(options, { clock: context.clock, log }),
      clock: context.clock,
      log,
    });
    try {
      if (token !== undefined) await storeToken(plane.client, token, { nowMs: context.clock.now(), ttlMs });
      if (!context.stop.aborted) printReady(context, plane);
      await Promise.race([untilAborted(context.stop), plane.failed]);
    } finally {
      await plane.close();
    }
    context.terminal.err("stopped\n");
    return 0;
  },
};

async function loadVerifiers(options: OptionValues): Promise<readonly SdkVerifier[]> {
  const packages = listOption(options, "providerPackage");
  if (packages.length === 0) return [];
  const { loadSdkVerifiers } = await import("../../../attestation/index.ts");
  return loadSdkVerifiers(packages);
}

/** It goes into cluster-info, the serving certificate and kubeconfigs, so it must be one that others can dial. */
function listeningHost(options: OptionValues): string {
  const host = requiredText(options, "host");
  if (host !== "0.0.0.0" && host !== "::") return host;
  throw new Fault("bad-config", `--host ${host} is no address that a node could dial; name one of this machine's`);
}

function printReady({ terminal }: CommandContext, plane: Plane): void {
  terminal.out(`control plane   ${plane.url}\n`);
  const judging = plane.signers.length === 0 ? "none here" : `judging ${plane.signers.join(", ")}`;
  terminal.out(`controller      ${judging}\n`);
  terminal.out(`look around     export KUBECONFIG=${plane.kubeconfigPath}\n`);
  terminal.out("                kubectl get csr,nodes\n");
}

/**
 * V8 settings for a process that serves for days, set while it runs because a program started by its file cannot choose
 * Node's flags. They trade time of the garbage collector and of a compiler for memory; bench/apiserver.mjs measures it.
 *
 * - heap-growing-percent: V8 lets garbage grow to about twice the live heap before it collects; here to a fifth more.
 *   Stored objects are text (apiserver/storage/held.ts), which the collector does not scan, so collecting is cheap.
 * - semi-space-growth-factor: the nursery keeps the size it had at the start of the process.
 */
const ENGINE_SETTINGS: readonly string[] = ["--heap-growing-percent=20", "--semi-space-growth-factor=1"];

/**
 * The HTTP client's parser is WebAssembly. V8 soon compiles it again with its optimizing compiler, which takes 36 MB
 * and a core for a while; the controller's requests to its own process gain nothing by it. Only where Liftoff is
 * complete.
 */
const WITHOUT_SECOND_COMPILER = "--liftoff-only";
const FULLY_SUPPORTED: readonly string[] = ["x64", "arm64"];

function tuneEngine(): void {
  for (const setting of ENGINE_SETTINGS) setFlagsFromString(setting);
  if (FULLY_SUPPORTED.includes(process.arch)) setFlagsFromString(WITHOUT_SECOND_COMPILER);
}
