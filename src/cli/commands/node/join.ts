// `countersign node join [ADDRESS]`: from a way to find the cluster to a certificate and kubeconfigs for a kubelet.
// Takes kubeadm's flags beside ours: --discovery-token, --discovery-token-ca-cert-hash, --discovery-file,
// --tls-bootstrap-token.

import { hostname } from "node:os";
import { parseToken } from "../../../api/bootstrap/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import {
  type BootstrapCredential,
  type JoinOptions,
  type JoinPlan,
  type JoinResult,
  joinNode,
  joinPlaces,
  loadRemembered,
  planJoin,
} from "../../../node/index.ts";
import { loadText } from "../../../platform/files/index.ts";
import type { Command, CommandContext, CommandInput, OptionValues } from "../../command.ts";
import {
  ADDRESS_ARGUMENT,
  DISCOVERY_OPTIONS,
  discoverDeps,
  readDiscoveryMethod,
  sayOnChange,
} from "../../discovery-options.ts";
import { startJoinLine } from "../../join-line.ts";
import { durationOption, flagOption, OUTPUT_OPTION, outputForm, requiredText, textOption } from "../../options.ts";
import { readToken } from "../../secret-input.ts";
import { plainText } from "../../terminal/index.ts";
import { PROVIDER_OPTIONS, readProvider } from "./provider.ts";
import { DIRECTORY_OPTION } from "./this-node.ts";

export const nodeJoin: Command = {
  arguments: [ADDRESS_ARGUMENT],
  options: [
    ...DISCOVERY_OPTIONS,
    { flags: "--tls-bootstrap-token <token>", description: "as kubeadm: the token to ask for the certificate with" },
    { flags: "--bootstrap-kubeconfig <file>", description: "ask with the identity of this kubeconfig instead" },
    {
      flags: "--keep-bootstrap-kubeconfig",
      description: "leave it for the plugin, which can then start over by itself",
    },
    {
      flags: "--resume",
      description: "go on with the join that was begun in the directory; a new --token may be given",
    },
    {
      flags: "--node-name <name>",
      description: "default: with --resume that of the join, else this machine's host name in lower case",
    },
    DIRECTORY_OPTION,
    ...PROVIDER_OPTIONS,
    { flags: "--client-ca-file <file>", description: "the CA that signs nodes, where it is not the cluster's" },
    { flags: "--register", description: "create the Node object too; without it the kubelet does" },
    { flags: "--timeout <duration>", description: "how long all of it may take, approval included", default: "5m" },
    {
      flags: "--dry-run",
      description: "find the cluster and try the credential, but ask for nothing and write nothing",
    },
    OUTPUT_OPTION,
  ],
  examples: [
    "countersign node join --token-file token --node-name worker-1 10.0.0.1:6443",
    "countersign node join --provider tpm --token-file token --provider-id aws:///eu-1a/i-0123 10.0.0.1:6443",
    "countersign node join --provider acme --provider-settings acme.json --token-file token 10.0.0.1:6443",
    "countersign node join --discovery-file cluster-info.yaml --tls-bootstrap-token abcdef.0123456789abcdef",
    "countersign node join --resume",
  ],
  run: async (context, input) => {
    const form = outputForm(input.options);
    const options = await readJoin(context, input);
    if (flagOption(input.options, "dryRun")) {
      const plan = await planJoin(options);
      context.terminal.out(form === "json" ? `${JSON.stringify(plan)}\n` : planText(plan));
      return 0;
    }
    const result = await runJoin(context, options, form === "json");
    context.terminal.out(form === "json" ? `${JSON.stringify(result)}\n` : resultText(result));
    return 0;
  },
};

async function readJoin(context: CommandContext, { options, args }: CommandInput): Promise<JoinOptions> {
  const { env, readStdin } = discoverDeps(context);
  const isResumed = flagOption(options, "resume");
  if (isResumed && args[0] !== undefined) {
    throw new Fault("bad-config", "--resume knows its cluster; leave the address out");
  }
  const clientCaFile = textOption(options, "clientCaFile");
  const directory = requiredText(options, "directory");
  const remembered = isResumed ? await loadRemembered(joinPlaces(directory).attestationPath) : undefined;
  return {
    discovery: isResumed ? undefined : await readDiscoveryMethod(context, options, args[0]),
    bootstrap: await readBootstrap(context, options),
    nodeName: textOption(options, "nodeName") ?? remembered?.nodeName ?? hostname().toLowerCase(),
    directory,
    ...(await readProvider(options, remembered)),
    clientCaPem: clientCaFile === undefined ? undefined : await loadText(clientCaFile),
    keepBootstrap: flagOption(options, "keepBootstrapKubeconfig"),
    registerNode: flagOption(options, "register")
      ? { addresses: [{ type: "Hostname", address: hostname() }] }
      : undefined,
    clock: context.clock,
    signal: context.stop,
    env,
    readStdin,
    limitMs: durationOption(options, "timeout"),
  };
}

/** kubeadm's rule: --token is for both, --tls-bootstrap-token for the certificate alone. */
async function readBootstrap(context: CommandContext, options: OptionValues): Promise<BootstrapCredential | undefined> {
  const path = textOption(options, "bootstrapKubeconfig");
  const ownToken = textOption(options, "tlsBootstrapToken");
  if (path !== undefined && ownToken !== undefined) {
    throw new Fault("bad-config", "--bootstrap-kubeconfig and --tls-bootstrap-token exclude each other");
  }
  if (path !== undefined) return { kind: "kubeconfig", path };
  const text = ownToken ?? (await readToken(context, options));
  return text === undefined || text === "" ? undefined : { kind: "token", token: parseToken(text) };
}

async function runJoin(context: CommandContext, options: JoinOptions, isQuiet: boolean): Promise<JoinResult> {
  const line = isQuiet ? undefined : startJoinLine(context.terminal, options.nodeName);
  const startedMs = context.clock.now();
  try {
    const result = await joinNode({
      ...options,
      progress: (step, detail) => line?.step(step, detail),
      waiting: sayOnChange((why) => context.terminal.err(`\n           waiting: ${plainText(why)}\n`)),
    });
    line?.end(`${((context.clock.now() - startedMs) / 1000).toFixed(1)} s`);
    return result;
  } catch (failure) {
    line?.end("");
    throw failure;
  }
}

const WHERE_IT_GOES = "put it where the kubelet's leads, such as /usr/local/bin";

function resultText({ plugin, ...result }: JoinResult): string {
  const until = new Date(result.notAfterMs).toISOString();
  const how = result.wasJoined ? "was joined already" : "joined";
  return [
    `${how} as ${result.nodeName}, certificate good until ${until}`,
    `  kubeconfig       ${result.kubeconfigPath}`,
    `  for a kubelet    ${result.execKubeconfigPath}`,
    ...(plugin.path === undefined
      ? [`  plugin           ${plugin.command} is not on this PATH: ${WHERE_IT_GOES}`]
      : []),
    "",
  ].join("\n");
}

function planText(plan: JoinPlan): string {
  const known = plan.knownAs === undefined ? "not tried" : `known there as ${plainText(plan.knownAs)}`;
  const request = plan.isJoined
    ? "nothing: a valid certificate is there"
    : `a certificate for node ${plan.nodeName} from ${plan.signerName}`;
  return [
    "would join (dry run: nothing was asked for, nothing was written)",
    `  cluster      ${plainText(plan.server)}`,
    `  credential   ${plan.credential}${plan.isJoined ? "" : `, ${known}`}`,
    `  request      ${request}`,
    `  Node object  ${plan.registers ? "created" : "left to the kubelet"}`,
    ...plan.writes.map((path, index) => `  ${(index === 0 ? "writes" : "").padEnd(12)} ${path}`),
    "",
  ].join("\n");
}
