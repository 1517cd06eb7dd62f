// `countersign token create [TOKEN]`: a live bootstrap token, stored in the cluster as kubeadm stores it.

import {
  type BootstrapToken,
  buildTokenSecret,
  DEFAULT_TOKEN_GROUP,
  encodeToken,
  generateToken,
  parseToken,
  readTokenSecret,
  TOKEN_USAGES,
  type TokenUsage,
} from "../../../api/bootstrap/index.ts";
import type { ConfigMap, Secret } from "../../../api/core/index.ts";
import { parseKubeconfig, readClusterLocation } from "../../../api/kubeconfig/index.ts";
import { CONFIG_MAPS, SECRETS } from "../../../api/meta/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { parseCertificates } from "../../../kernel/x509/index.ts";
import { caPinOf } from "../../../node/index.ts";
import { randomBytes } from "../../../platform/keys/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { Command, CommandContext, OptionValues } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { durationOption, flagOption, OUTPUT_OPTION, outputForm, requiredText, textOption } from "../../options.ts";
import { describeToken } from "./describe.ts";

const JOIN_TOOLS = { countersign: "countersign node join", kubeadm: "kubeadm join" } as const;
type JoinTool = keyof typeof JOIN_TOOLS;

export const tokenCreate: Command = {
  arguments: [{ name: "[token]", description: "the token, if it was made before; without it a new one is made" }],
  options: [
    KUBECONFIG_OPTION,
    { flags: "--ttl <duration>", description: "how long it lives; 0: for ever", default: "24h" },
    { flags: "--usages <list>", description: "what it is for, with commas between", default: "signing,authentication" },
    { flags: "--groups <list>", description: "the groups of whoever logs in with it", default: DEFAULT_TOKEN_GROUP },
    { flags: "--description <text>", description: "for people" },
    { flags: "--print-join-command", description: "print the whole command for the machine that shall join" },
    {
      flags: "--for <tool>",
      description: `that command for ${Object.keys(JOIN_TOOLS).join(" or ")}`,
      default: "countersign",
    },
    OUTPUT_OPTION,
  ],
  examples: [
    "countersign token create --ttl 1h > token && chmod 600 token",
    "countersign token create --print-join-command --for kubeadm",
  ],
  run: async (context, { options, args }) => {
    const form = outputForm(options);
    const tool = flagOption(options, "printJoinCommand") ? toolOf(options) : undefined;
    const token = args[0] === undefined ? generateToken(randomBytes) : parseToken(args[0]);
    const secret = buildTokenSecret(token, secretOptions(context, options));
    const client = await connectToCluster(context, options);
    try {
      const stored = await client.create<Secret>(SECRETS, secret, { signal: context.stop });
      const command = tool === undefined ? undefined : await joinCommand(client, token, tool);
      context.terminal.out(form === "json" ? `${jsonOf(stored, command)}\n` : `${command ?? encodeToken(token)}\n`);
      return 0;
    } finally {
      await client.close();
    }
  },
};

function secretOptions({ clock }: CommandContext, options: OptionValues) {
  return {
    nowMs: clock.now(),
    ttlMs: requiredText(options, "ttl") === "0" ? undefined : durationOption(options, "ttl"),
    usages: words(options, "usages").map(parseUsage),
    groups: words(options, "groups"),
    description: textOption(options, "description"),
  };
}

/** An empty list is a choice too: `--groups ""`. */
function words(options: OptionValues, name: string): readonly string[] {
  const text = options[name];
  return typeof text === "string" ? text.split(",").flatMap((word) => word.trim() || []) : [];
}

function parseUsage(word: string): TokenUsage {
  const usage = TOKEN_USAGES.find((known) => known === word);
  if (usage !== undefined) return usage;
  throw new Fault("bad-config", `--usages names ${JSON.stringify(word)}, expected ${TOKEN_USAGES.join(" or ")}`);
}

function toolOf(options: OptionValues): JoinTool {
  const name = requiredText(options, "for");
  if (name === "countersign" || name === "kubeadm") return name;
  throw new Fault("bad-config", `--for is ${JSON.stringify(name)}, expected ${Object.keys(JOIN_TOOLS).join(" or ")}`);
}

function jsonOf(stored: Secret, joinCommand: string | undefined): string {
  const token = readTokenSecret(stored);
  if (token === undefined) throw new Fault("internal", "the server stored something that is no token");
  return JSON.stringify({
    ...describeToken(token, { withSecret: true }),
    ...(joinCommand === undefined ? {} : { joinCommand }),
  });
}

/**
 * The line to copy to the joining machine. Address and CA are those of cluster-info, which the machine will be told
 * too, so that a wrong one shows here first.
 */
async function joinCommand(client: KubeClient, token: BootstrapToken, tool: JoinTool): Promise<string> {
  const { data = {} } = await client.get<ConfigMap>(CONFIG_MAPS, { namespace: "kube-public", name: "cluster-info" });
  const [entry] = parseKubeconfig(data["kubeconfig"] ?? "").clusters;
  if (entry === undefined) throw new Fault("not-found", "kube-public/cluster-info names no cluster");
  const { servers, rootsPem } = readClusterLocation(entry.cluster);
  const pins = rootsPem.flatMap(parseCertificates).map(caPinOf);
  const flags = pins.map((pin) => ` --discovery-token-ca-cert-hash ${pin}`).join("");
  const { host } = new URL(servers[0] ?? entry.cluster.server);
  return `${JOIN_TOOLS[tool]} ${host} --token ${encodeToken(token)}${flags}`;
}
