// The plugin's flags. They come from a kubeconfig that a tool wrote, so an unknown one is an error and not a warning.
// Read by hand: both spellings of a dozen flags take fewer milliseconds than loading node:util's parser.

import { Fault } from "../../kernel/outcome/index.ts";
import { parseDuration, parseVerbosity } from "../../platform/flags/index.ts";
import type { Authenticator } from "./authenticators.ts";

/** kubeadm gives a node five minutes, and client-go waits for a plugin without any limit of its own. */
const TIMEOUT_BOUNDS = { minMs: 1_000, maxMs: 290_000 };
const TIMEOUT_DEFAULT_MS = 280_000;

export interface ExecFlags {
  readonly nodeName: string;
  readonly certDirectory: string;
  readonly bootstrapKubeconfig: string | undefined;
  readonly signerName: string;
  readonly clientCaFile: string | undefined;
  readonly providerId: string | undefined;
  readonly evidenceCluster: string | undefined;
  readonly evidenceRecipient: string | undefined;
  /** The provider's own, by name with dashes; a switch that was given has an empty value. */
  readonly own: ReadonlyMap<string, string>;
  readonly timeoutMs: number;
  /** klog's numbers: requests are reported from 2 on, waits from 4 on. */
  readonly verbosity: number;
}

const VERBOSITY_DEFAULT = 2;

type Invocation =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "run"; readonly flags: ExecFlags };

type FlagFacts = Pick<Authenticator, "program" | "signerName" | "ownFlags">;

export function helpText({ program, signerName, ownFlags = {} }: FlagFacts): string {
  const own = Object.entries(ownFlags).map(([name, { value = "", description }]) => [`${name} ${value}`, description]);
  return `${program}: a client-go credential plugin that presents this node's certificate

Called by kubelet or kubectl through an exec user of a kubeconfig; answers on stdout, explains itself on stderr.

  --node-name NAME             the node whose certificate is presented (needed)
  --cert-dir DIR               where kubelet-client-current.pem is (default /var/lib/kubelet/pki)
  --bootstrap-kubeconfig FILE  asks for a first certificate with it when there is none
  --signer-name NAME           default ${signerName}
  --client-ca-file FILE        the CA that signs nodes, where it is not the cluster's
  --provider-id ID             what the platform calls this machine, as its Machine's spec.providerID
  --evidence-cluster ID        which cluster is meant, where clusters share a CA
  --evidence-recipient KEY     seals evidence to the controller: KEYID:POINT, as the bootstrap data has it
${own.map(([flag = "", description]) => `  ${flag.padEnd(28)} ${description}\n`).join("")}  --timeout DURATION           longest wait for a certificate, such as 90s or 4m (default ${TIMEOUT_DEFAULT_MS / 1_000}s)
  --v NUMBER                   what is said on stderr: 0 trouble only, 2 requests (default), 4 what is waited for as well
  --help, --version
`;
}

export function parseFlags(args: readonly string[], { signerName, ownFlags = {} }: FlagFacts): Invocation {
  const own = new Set(Object.keys(ownFlags));
  const switches = new Set([...SWITCHES, ...[...own].filter((name) => ownFlags[name]?.value === undefined)]);
  const values = readValues(args, { own, switches });
  if (values.has("--help")) return { kind: "help" };
  if (values.has("--version")) return { kind: "version" };
  const nodeName = values.get("--node-name") ?? "";
  if (nodeName === "") throw new Fault("bad-config", "--node-name is missing");
  const timeout = values.get("--timeout");
  const v = values.get("--v");
  return {
    kind: "run",
    flags: {
      nodeName,
      certDirectory: values.get("--cert-dir") ?? "/var/lib/kubelet/pki",
      bootstrapKubeconfig: values.get("--bootstrap-kubeconfig"),
      signerName: values.get("--signer-name") ?? signerName,
      clientCaFile: values.get("--client-ca-file"),
      providerId: values.get("--provider-id"),
      evidenceCluster: values.get("--evidence-cluster"),
      evidenceRecipient: values.get("--evidence-recipient"),
      own: new Map([...values].filter(([name]) => own.has(name))),
      verbosity: v === undefined ? VERBOSITY_DEFAULT : parseVerbosity("--v", v),
      timeoutMs: timeout === undefined ? TIMEOUT_DEFAULT_MS : parseDuration("--timeout", timeout, TIMEOUT_BOUNDS),
    },
  };
}

const SWITCHES: ReadonlySet<string> = new Set(["--help", "--version"]);
const NAMES: ReadonlySet<string> = new Set([
  ...SWITCHES,
  ...["--node-name", "--cert-dir", "--bootstrap-kubeconfig", "--signer-name", "--client-ca-file"],
  ...["--provider-id", "--evidence-cluster", "--evidence-recipient", "--timeout", "--v"],
]);

interface Known {
  readonly own: ReadonlySet<string>;
  readonly switches: ReadonlySet<string>;
}

function readValues(args: readonly string[], { own, switches }: Known): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [name = "", ...parts] = word.split("=");
    const isSwitch = switches.has(name);
    if ((!NAMES.has(name) && !own.has(name)) || (isSwitch && parts.length > 0)) {
      throw new Fault("bad-config", `flag ${JSON.stringify(word)} is unknown (see --help)`);
    }
    const value = parts.length > 0 || isSwitch ? parts.join("=") : rest.shift();
    if (value === undefined) throw new Fault("bad-config", `flag ${name} has no value`);
    values.set(name, value);
  }
  return values;
}
