// `countersign node run`: keeps client and serving certificates fresh for a kubelet that reads them from files.

import { existsSync } from "node:fs";
import {
  ATTESTED_CLIENT_SIGNER_PREFIX,
  ATTESTED_SERVING_SIGNER_PREFIX,
  KUBELET_SERVING_SIGNER,
} from "../../../api/certificates/index.ts";
import type { NodeAddress } from "../../../api/core/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import {
  type DaemonOptions,
  type DiscoveryPlaces,
  joinPlaces,
  machineAddresses,
  runNodeDaemon,
  type ServingOptions,
  type StatusOptions,
  servingNamesOf,
} from "../../../node/index.ts";
import { parseAddress } from "../../../platform/flags/index.ts";
import { createLog, LOG_LEVELS, parseLogLevel, verbosityOf } from "../../../platform/report/index.ts";
import type { Command, CommandContext, OptionValues } from "../../command.ts";
import { booleanOption, durationOption, flagOption, listOption, requiredText, textOption } from "../../options.ts";
import { CREDENTIAL_OPTIONS, readCredentials } from "./credentials.ts";
import { readThisNode } from "./this-node.ts";

export const nodeRun: Command = {
  options: [
    ...CREDENTIAL_OPTIONS,
    {
      flags: "--rotate-certificates <boolean>",
      description: "false: use and watch the credentials that are there, ask for nothing",
      default: "true",
    },
    { flags: "--serving", description: "keep a serving certificate too" },
    {
      flags: "--serving-signer-name <name>",
      description: `who shall sign it (default: the provider's, or ${KUBELET_SERVING_SIGNER})`,
    },
    {
      flags: "--serving-address <name...>",
      description: "host names and IP addresses to serve under (default: this machine's)",
    },
    { flags: "--status-address <host:port>", description: "health and metrics", default: "127.0.0.1:10263" },
    { flags: "--status-tls", description: "serve them with the serving certificate" },
    {
      flags: "--start-limit <duration>",
      description: "without a valid certificate for this long, end with code 75 and be started again",
      default: "5m",
    },
    { flags: "--log-level <level>", description: `what is logged: ${LOG_LEVELS.join(", ")} (default: info)` },
    { flags: "-v, --v <number>", description: "the same in klog's numbers: 2 diagnostics, 4 the loops as well" },
  ],
  examples: [
    "countersign node run --bootstrap-kubeconfig /etc/kubernetes/bootstrap-kubelet.conf",
    "countersign node run --serving --status-address 0.0.0.0:10263 --status-tls",
  ],
  run: async (context, { options }) => {
    await runNodeDaemon(await daemonOptions(context, options));
    return 0;
  },
};

async function daemonOptions(context: CommandContext, options: OptionValues): Promise<DaemonOptions> {
  const destination = { write: (line: string) => context.terminal.err(line) };
  const level = parseLogLevel({ level: textOption(options, "logLevel"), v: textOption(options, "v") });
  const log = await createLog({ level, destination });
  const credentials = await readCredentials(options);
  return {
    ...credentials,
    rotate: booleanOption(options, "rotateCertificates"),
    serving: flagOption(options, "serving") ? servingOptions(options, credentials) : undefined,
    status: statusOptions(options),
    discovery: await discoveryPlaces(context, options),
    startLimitMs: durationOption(options, "startLimit"),
    env: context.env,
    clock: context.clock,
    log,
    verbosity: verbosityOf(level),
    signal: context.stop,
    onStarted: ({ port }) => log.info("node daemon runs", { statusPort: port }),
  };
}

/** A provider that may serve has a serving signer of its own; its evidence is worth nothing at Kubernetes'. */
function servingSigner({ provider, signerName }: Pick<DaemonOptions, "provider" | "signerName">): string {
  const isAttested = signerName.startsWith(ATTESTED_CLIENT_SIGNER_PREFIX) && provider.canServe;
  return isAttested ? `${ATTESTED_SERVING_SIGNER_PREFIX}${provider.name}` : KUBELET_SERVING_SIGNER;
}

function servingOptions(options: OptionValues, credentials: Parameters<typeof servingSigner>[0]): ServingOptions {
  const given = listOption(options, "servingAddress").map((address): NodeAddress => ({ type: "Hostname", address }));
  const addresses = given.length === 0 ? machineAddresses : () => given;
  const signerName = textOption(options, "servingSignerName") ?? servingSigner(credentials);
  return { signerName, names: () => servingNamesOf(addresses()) };
}

/** The kubeconfigs that a join wrote in the directory. Other kubeconfigs are not ours to change. */
async function discoveryPlaces({ env }: CommandContext, options: OptionValues): Promise<DiscoveryPlaces | undefined> {
  const { directory, places } = await readThisNode(options);
  const { discoveryPath: cachePath, kubeconfigPath, execKubeconfigPath, bootstrapPath } = joinPlaces(directory);
  if (places.kubeconfigPath !== kubeconfigPath || !existsSync(cachePath)) return undefined;
  return { cachePath, kubeconfigs: [kubeconfigPath, execKubeconfigPath, bootstrapPath], env };
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

function statusOptions(options: OptionValues): StatusOptions {
  const text = requiredText(options, "statusAddress");
  const { host, port } = parseAddress("--status-address", text);
  const tls = flagOption(options, "statusTls");
  if (!tls && !LOOPBACK.has(host)) {
    throw new Fault("bad-config", `--status-address ${text} is not on loopback; add --serving --status-tls`);
  }
  return { host, port, tls };
}
