// The plugin's flags. They come from a kubeconfig that a tool wrote, so an unknown one is an error and not a warning. Read
// by hand: both spellings of eight flags take fewer milliseconds than loading node:util's parser.

import { Fault } from "../../kernel/outcome/index.ts";

/** kubeadm gives a node five minutes, and client-go waits for a plugin without any limit of its own. */
const TIMEOUT_MAX_MS = 290_000;
const TIMEOUT_DEFAULT_MS = 280_000;

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000 };

export interface ExecFlags {
  readonly nodeName: string;
  readonly certDirectory: string;
  readonly bootstrapKubeconfig: string | undefined;
  readonly signerName: string;
  readonly clientCaFile: string | undefined;
  readonly timeoutMs: number;
}

export type Invocation =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "run"; readonly flags: ExecFlags };

export function helpText(program: string, defaultSigner: string): string {
  return `${program}: a client-go credential plugin that presents this node's certificate

Called by kubelet or kubectl through an exec user of a kubeconfig; answers on stdout, explains itself on stderr.

  --node-name NAME             the node whose certificate is presented (needed)
  --cert-dir DIR               where kubelet-client-current.pem is (default /var/lib/kubelet/pki)
  --bootstrap-kubeconfig FILE  asks for a first certificate with it when there is none
  --signer-name NAME           default ${defaultSigner}
  --client-ca-file FILE        the CA that signs nodes, where it is not the cluster's
  --timeout DURATION           longest wait for a certificate, such as 90s or 4m (default ${TIMEOUT_DEFAULT_MS / 1_000}s)
  --help, --version
`;
}

export function parseFlags(args: readonly string[], defaultSigner: string): Invocation {
  const values = readValues(args);
  if (values.has("--help")) return { kind: "help" };
  if (values.has("--version")) return { kind: "version" };
  const nodeName = values.get("--node-name") ?? "";
  if (nodeName === "") throw new Fault("bad-config", "--node-name is needed");
  const timeout = values.get("--timeout");
  return {
    kind: "run",
    flags: {
      nodeName,
      certDirectory: values.get("--cert-dir") ?? "/var/lib/kubelet/pki",
      bootstrapKubeconfig: values.get("--bootstrap-kubeconfig"),
      signerName: values.get("--signer-name") ?? defaultSigner,
      clientCaFile: values.get("--client-ca-file"),
      timeoutMs: timeout === undefined ? TIMEOUT_DEFAULT_MS : parseTimeout(timeout),
    },
  };
}

const SWITCHES: ReadonlySet<string> = new Set(["--help", "--version"]);
const NAMES: ReadonlySet<string> = new Set([
  ...SWITCHES,
  ...["--node-name", "--cert-dir", "--bootstrap-kubeconfig", "--signer-name", "--client-ca-file", "--timeout"],
]);

function readValues(args: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [name = "", ...parts] = word.split("=");
    const isSwitch = SWITCHES.has(name);
    if (!NAMES.has(name) || (isSwitch && parts.length > 0)) {
      throw new Fault("bad-config", `flag ${JSON.stringify(word)} is unknown (see --help)`);
    }
    const value = parts.length > 0 || isSwitch ? parts.join("=") : rest.shift();
    if (value === undefined) throw new Fault("bad-config", `flag ${name} has no value`);
    values.set(name, value);
  }
  return values;
}

function parseTimeout(text: string): number {
  const [, count, unit = ""] = /^(\d{1,4})(s|m)$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  if (!(ms > 0 && ms <= TIMEOUT_MAX_MS)) {
    throw new Fault("bad-config", `--timeout ${JSON.stringify(text)} is not between 1s and ${TIMEOUT_MAX_MS / 1_000}s`);
  }
  return ms;
}
