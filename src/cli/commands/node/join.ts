// `countersign node join ENDPOINT`: from a token and an address to a certificate and kubeconfigs for a kubelet.

import { hostname } from "node:os";
import { KUBELET_CLIENT_SIGNER } from "../../../api/certificates/index.ts";
import { createInsecureProvider } from "../../../attestation/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { type JoinResult, joinNode } from "../../../node/index.ts";
import type { Command, CommandContext, OptionValues } from "../../command.ts";
import { startJoinLine } from "../../join-line.ts";
import {
  durationOption,
  flagOption,
  listOption,
  OUTPUT_OPTION,
  outputForm,
  requiredText,
  textOption,
} from "../../options.ts";
import { requireToken, TOKEN_OPTIONS } from "../../secret-input.ts";
import { plainText } from "../../terminal/index.ts";

export const nodeJoin: Command = {
  path: ["node", "join"],
  summary: "join this machine to a cluster: find it, trust it, ask for a certificate, keep it",
  arguments: [{ name: "<endpoint>", description: "an API server: host, host:port, IPv6 address or https URL" }],
  options: [
    ...TOKEN_OPTIONS,
    { flags: "--node-name <name>", description: "default: this machine's host name in lower case" },
    {
      flags: "--directory <path>",
      description: "where certificate and kubeconfigs go",
      default: "/var/lib/countersign",
    },
    {
      flags: "--ca-cert-hash <pin...>",
      description: "sha256:<hex> of the CA's public key; without it, whoever knows the token can pose as the cluster",
    },
    { flags: "--signer-name <name>", description: "who shall sign", default: KUBELET_CLIENT_SIGNER },
    { flags: "--register", description: "create the Node object too; without it the kubelet does" },
    { flags: "--timeout <duration>", description: "how long to wait for approval", default: "5m" },
    OUTPUT_OPTION,
  ],
  examples: ["countersign node join --token-file token --node-name worker-1 10.0.0.1:6443"],
  run: async (context, { options, args }) => {
    const endpoint = args[0];
    if (endpoint === undefined) throw new Fault("bad-config", "the endpoint is missing");
    const json = outputForm(options) === "json";
    const token = await requireToken(context, options);
    const result = await runJoin(context, options, { endpoint, token, quiet: json });
    if (json) context.terminal.out(`${JSON.stringify(result)}\n`);
    else printResult(context, result);
    return 0;
  },
};

interface Way {
  readonly endpoint: string;
  readonly token: string;
  readonly quiet: boolean;
}

async function runJoin(context: CommandContext, options: OptionValues, way: Way): Promise<JoinResult> {
  const nodeName = textOption(options, "nodeName") ?? hostname().toLowerCase();
  const line = way.quiet ? undefined : startJoinLine(context.terminal, nodeName);
  const startedMs = context.clock.now();
  try {
    const result = await joinNode({
      endpoint: way.endpoint,
      token: way.token,
      nodeName,
      directory: requiredText(options, "directory"),
      provider: createInsecureProvider(),
      signerName: textOption(options, "signerName"),
      caPins: listOption(options, "caCertHash"),
      registerNode: flagOption(options, "register")
        ? { addresses: [{ type: "Hostname", address: hostname() }] }
        : undefined,
      clock: context.clock,
      signal: context.stop,
      requestLimitMs: durationOption(options, "timeout"),
      progress: (step) => line?.step(step),
      waiting: (why) => context.terminal.err(`\n           waiting: ${plainText(why)}\n`),
    });
    line?.end(`${((context.clock.now() - startedMs) / 1000).toFixed(1)} s`);
    return result;
  } catch (failure) {
    line?.end("");
    throw failure;
  }
}

function printResult({ terminal }: CommandContext, result: JoinResult): void {
  const until = new Date(result.notAfterMs).toISOString();
  terminal.out(
    `${result.wasJoined ? "was joined already" : "joined"} as ${result.nodeName}, certificate good until ${until}\n`,
  );
  terminal.out(`  kubeconfig       ${result.kubeconfigPath}\n`);
  terminal.out(`  for a kubelet    ${result.execKubeconfigPath}\n`);
}
