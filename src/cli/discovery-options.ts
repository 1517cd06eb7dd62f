// The flags by which every command is told how to find a cluster: those of the super simple discovery API, and
// kubeadm's.

import { Fault } from "../kernel/outcome/index.ts";
import { type DiscoverDeps, type DiscoveryMethod, type DiscoveryWords, findDiscoveryMethod } from "../node/index.ts";
import type { CommandArgument, CommandContext, CommandOption, OptionValues } from "./command.ts";
import { flagOption, listOption, textOption } from "./options.ts";
import { readToken, TOKEN_OPTIONS } from "./secret-input.ts";
import { plainText } from "./terminal/index.ts";

export const ADDRESS_ARGUMENT: CommandArgument = {
  name: "[address]",
  description: "an API server: host, host:port, IPv6 address or https URL; several with commas between them",
};

export const DISCOVERY_OPTIONS: readonly CommandOption[] = [
  ...TOKEN_OPTIONS,
  { flags: "--discovery-token <token>", description: "as kubeadm: the token for finding the cluster alone" },
  {
    flags: "--ca-cert-hash <pin>",
    description: "sha256:<hex> of the CA's public key; without it, whoever knows the token can pose as the cluster",
    repeatable: true,
  },
  {
    flags: "--discovery-token-ca-cert-hash <pin>",
    description: "as kubeadm: the same as --ca-cert-hash",
    repeatable: true,
  },
  {
    flags: "--discovery-token-unsafe-skip-ca-verification",
    description: "as kubeadm: go without a pin (no pin is needed here, so this only says that it is meant)",
  },
  { flags: "--cluster-info-file <file>", description: "the cluster-info document in a file, - for standard input" },
  {
    flags: "--cluster-info-url <url>",
    description: "the document at an https URL that this machine's roots vouch for",
  },
  { flags: "--cluster-info-header-file <file>", description: "headers for that URL, one `Name: value` a line" },
  { flags: "--discovery-file <file>", description: "as kubeadm: the document in a file or at an https URL" },
  {
    flags: "--with-credentials",
    description: "take a document that carries an identity, if it is a client certificate or an exec plugin",
  },
  { flags: "--cluster-id <id>", description: "the cluster that must be found, and no other" },
];

/** Undefined when no way is named. Fault `bad-config` for flags that exclude each other. */
export async function readDiscoveryMethod(
  context: CommandContext,
  options: OptionValues,
  address: string | undefined,
): Promise<DiscoveryMethod | undefined> {
  return findDiscoveryMethod(await readDiscoveryWords(context, options, address));
}

async function readDiscoveryWords(
  context: CommandContext,
  options: OptionValues,
  address: string | undefined,
): Promise<DiscoveryWords> {
  const clusterInfoFile = textOption(options, "clusterInfoFile");
  if (clusterInfoFile === "-" && textOption(options, "tokenFile") === "-") {
    throw new Fault("bad-config", "standard input cannot be both the token and the document");
  }
  // Repeated, or with commas between them, as kubeadm takes them.
  const caCertHashes = [
    ...listOption(options, "caCertHash"),
    ...listOption(options, "discoveryTokenCaCertHash"),
  ].flatMap((text) => text.split(","));
  if (caCertHashes.length > 0 && flagOption(options, "discoveryTokenUnsafeSkipCaVerification")) {
    throw new Fault("bad-config", "a pin and --discovery-token-unsafe-skip-ca-verification exclude each other");
  }
  return {
    address,
    token: await readToken(context, options),
    discoveryToken: textOption(options, "discoveryToken"),
    caCertHashes,
    clusterInfoFile,
    clusterInfoUrl: textOption(options, "clusterInfoUrl"),
    clusterInfoHeaderFile: textOption(options, "clusterInfoHeaderFile"),
    discoveryFile: textOption(options, "discoveryFile"),
    withCredentials: flagOption(options, "withCredentials"),
    clusterId: textOption(options, "clusterId"),
  };
}

/** Waiting is shown on the error stream, a line whenever its reason changes. */
export function discoverDeps(context: CommandContext, limitMs?: number): DiscoverDeps {
  return {
    clock: context.clock,
    signal: context.stop,
    env: context.env,
    limitMs,
    readStdin,
    onWaiting: sayOnChange((why) => context.terminal.err(`waiting  ${plainText(why)}\n`)),
  };
}

/** The same reason again is no news. */
export function sayOnChange(say: (why: string) => void): (why: string) => void {
  let last = "";
  return (why) => {
    if (why !== last) say(why);
    last = why;
  };
}

/** The document has its own limit; this one keeps an endless stream from filling the memory. */
const STDIN_MAX_BYTES = 1_048_576;

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) throw new Fault("bad-config", "standard input is a terminal, expected the document");
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of process.stdin) {
    pieces.push(piece as Buffer);
    length += (piece as Buffer).length;
    if (length > STDIN_MAX_BYTES) throw new Fault("limit-exceeded", `more than ${STDIN_MAX_BYTES} bytes came in`);
  }
  return Buffer.concat(pieces).toString("utf8");
}
