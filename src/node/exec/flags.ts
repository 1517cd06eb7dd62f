// The plugin's flags. They come from a kubeconfig that a tool wrote, so an unknown one is an error and not a warning.

import { parseArgs } from "node:util";
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
  --timeout DURATION           longest wait for a certificate, such as 90s or 4m (default ${TIMEOUT_DEFAULT_MS / 1_000}s)
  --help, --version
`;
}

export function parseFlags(args: readonly string[], defaultSigner: string): Invocation {
  const values = readValues(args);
  if (values.help === true) return { kind: "help" };
  if (values.version === true) return { kind: "version" };
  const nodeName = values["node-name"] ?? "";
  if (nodeName === "") throw new Fault("bad-config", "--node-name is needed");
  return {
    kind: "run",
    flags: {
      nodeName,
      certDirectory: values["cert-dir"] ?? "/var/lib/kubelet/pki",
      bootstrapKubeconfig: values["bootstrap-kubeconfig"],
      signerName: values["signer-name"] ?? defaultSigner,
      timeoutMs: values.timeout === undefined ? TIMEOUT_DEFAULT_MS : parseTimeout(values.timeout),
    },
  };
}

function readValues(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        "node-name": { type: "string" },
        "cert-dir": { type: "string" },
        "bootstrap-kubeconfig": { type: "string" },
        "signer-name": { type: "string" },
        timeout: { type: "string" },
        help: { type: "boolean" },
        version: { type: "boolean" },
      },
    }).values;
  } catch (cause) {
    throw new Fault("bad-config", cause instanceof Error ? cause.message : "the flags are unreadable", { cause });
  }
}

function parseTimeout(text: string): number {
  const [, count, unit = ""] = /^(\d{1,4})(s|m)$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  if (!(ms > 0 && ms <= TIMEOUT_MAX_MS)) {
    throw new Fault("bad-config", `--timeout ${JSON.stringify(text)} is not between 1s and ${TIMEOUT_MAX_MS / 1_000}s`);
  }
  return ms;
}
