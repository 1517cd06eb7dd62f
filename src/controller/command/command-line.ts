// The flags of `node-attestation-controller`. A new flag is one entry of the table: its property in CommandLine, its
// help and its parser. Only flags that belong together are put together below.

import { isEvidenceCluster } from "../../attestation/evidence/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import {
  type Address,
  describeFlags,
  type FlagTable,
  type FlagValues,
  flagNames,
  parseAddress,
  parseChoice,
  parseDuration,
  readFlags,
  requireFlag,
} from "../../platform/flags/index.ts";
import { LEASE_TIMING, requireTiming, type Timing } from "../../platform/kube/index.ts";
import { LOG_FLAGS, type LogLevel, parseLogLevel } from "../../platform/report/index.ts";
import { CONTROLLER_NAMES, chooseControllers } from "../compose.ts";
import { requireStricter } from "../judging/chains.ts";
import { parseClusterName } from "../machines/index.ts";

export type CaPlace =
  | { readonly kind: "Files"; readonly certFile: string; readonly keyFile: string }
  | { readonly kind: "Secret"; readonly namespace: string; readonly name: string }
  /** Cluster API's: the Secret beside the Cluster of this name. */
  | { readonly kind: "Cluster"; readonly namespace: string; readonly name: string };

interface ClusterInfoPlace {
  readonly servers: readonly [string, ...string[]];
  readonly caFile: string;
}

/** No request may ask for less, so no signer should give less. */
const MIN_LIFETIME_MS = 600_000;

const FLAGS = {
  caCert: {
    flag: "--ca-cert FILE",
    help: "the cluster's CA certificate, PEM, exactly one; read again when it changes",
  },
  caKey: { flag: "--ca-key FILE", help: "its private key, PEM" },
  caSecret: {
    flag: "--ca-secret NAMESPACE/NAME",
    help: "both from a Secret of type kubernetes.io/tls instead",
    parse: parseSecretName,
  },
  isCaFromCluster: {
    flag: "--ca-from-cluster",
    help:
      "both from Cluster API's Secret NAME-ca beside the Cluster that --cluster-name names (whichever it is: nothing " +
      "is signed by a CA whose client certificates the API server does not take)",
  },
  isTrustedElsewhere: {
    flag: "--ca-is-trusted-elsewhere",
    help: "sign all the same: something before the API server judges client certificates",
  },
  kubeconfig: {
    flag: "--kubeconfig FILE",
    help: "how to reach the API server; without it, the service account of the pod",
  },
  managementKubeconfig: {
    flag: "--management-kubeconfig FILE",
    help:
      "where Machines, NodeIdentities and the CA of --ca-from-cluster are, if in another cluster than the requests; " +
      "needs --cluster-name",
  },
  cluster: {
    flag: "--cluster-name [NAMESPACE/]NAME",
    help:
      "which cluster this is, as Cluster API names it: Machines and identities of others never match (default: there " +
      "is only one, or spec.machines of a JoinPolicy says which)",
    parse: (text: string, flag: string) => parseClusterName(flag, text),
  },
  controllers: {
    flag: "--controllers LIST",
    help: `which loops run: ${CONTROLLER_NAMES.join(", ")}; * is all, -name leaves one out (default: *)`,
    default: "*",
    parse: chooseControllers,
  },
  signers: {
    flag: "--signers LIST",
    help:
      "the signers whose requests are judged and signed, and no others (default: Kubernetes' own for " +
      "kubelets and API " +
      "clients, the two of the TPM provider and of each --provider-package)",
    parse: (text: string): readonly string[] => text.split(",").map((name) => name.trim()),
  },
  disabledRules: {
    flag: "--disable-rules ID,…",
    help: "leave out rules that are stricter than kube-controller-manager's: docs/rules.md names them (default: none)",
    parse: (text: string) => requireStricter(text.split(",")),
  },
  allowInsecure: {
    flag: "--allow-insecure",
    help:
      "without --signers: also serve cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure, whose requests prove " +
      "nothing but the possession of a bootstrap token",
  },
  providerPackages: {
    flag: "--provider-package NAME[=FILE]",
    help:
      "an installed package with the verifier of an attestation provider, and its settings as a JSON object; may be " +
      "given several times. With --signers, name its signers there",
    multiple: true,
  },
  endorsementKeySources: {
    flag: "--endorsement-key-source NAME[=FILE]",
    help: "an installed package that knows which TPM each Machine has, and its settings; may be given several times",
    multiple: true,
  },
  evidenceClusters: {
    flag: "--evidence-cluster ID",
    formerly: "--cluster-id",
    help:
      "the name of this cluster that evidence must be made for, instead of the pin of its CA; may be given several " +
      "times. Clusters that share a CA need one: their machines join with --evidence-cluster ID (default: " +
      "the pins of " +
      "the valid CAs, sha256:HEX)",
    multiple: true,
    parse: parseEvidenceCluster,
  },
  lifetimeMs: {
    flag: "--certificate-lifetime DURATION",
    help:
      "the longest life of a certificate, at least 10m: 90m, 24h, 365d (default: 365d, 1d for signers whose requests " +
      "prove something)",
    parse: (text: string, flag: string) => parseDuration(flag, text, { minMs: MIN_LIFETIME_MS }),
  },
  clusterInfoServers: {
    flag: "--cluster-info-server URL",
    opensParagraph: true,
    help:
      "where kube-public/cluster-info says the API server is; with it, that ConfigMap is made and kept up to date. " +
      "More of them are further addresses (default: only signatures are kept)",
    multiple: true,
    parse: parseServer,
  },
  clusterInfoCaFile: {
    flag: "--cluster-info-ca-file FILE",
    help: "the CA bundle in it, read again when it changes (default: --ca-cert)",
  },
  leaderElect: {
    flag: "--leader-elect=false",
    opensParagraph: true,
    help: "run without a lease; for one replica only",
    default: "true",
    parse: (text: string, flag: string) => parseChoice(flag, text, ["true", "false"]),
  },
  leaseDurationMs: {
    flag: "--leader-elect-lease-duration DURATION",
    help: "how long others wait for a silent leader (default: 15s)",
    parse: parseSpan,
  },
  renewDeadlineMs: {
    flag: "--leader-elect-renew-deadline DURATION",
    help: "how long a leader that cannot renew goes on (default: 10s)",
    parse: parseSpan,
  },
  retryPeriodMs: {
    flag: "--leader-elect-retry-period DURATION",
    help: "the time between two looks at the lease (default: 2s)",
    parse: parseSpan,
  },
  namespace: {
    flag: "--namespace NAME",
    help:
      "where the lease node-attestation-controller and the ConfigMap with the heads of the audit trail " +
      "live (default: " +
      "countersign-system)",
    default: "countersign-system",
  },
  statusAddress: {
    flag: "--status-address HOST:PORT",
    opensParagraph: true,
    help: "serve /metrics, /healthz and /readyz there, plain HTTP (default: nowhere)",
    parse: (text: string, flag: string): Address => parseAddress(flag, text),
  },
  auditLog: {
    flag: "--audit-log FILE",
    help: "where the audit trail goes; - is standard output (default: -)",
    default: "-",
  },
  ...LOG_FLAGS,
} as const satisfies FlagTable;

export const FLAG_NAMES: readonly string[] = flagNames(FLAGS);

export const HELP = `node-attestation-controller: approves and signs the certificate requests of nodes

usage: node-attestation-controller
         (--ca-cert FILE --ca-key FILE | --ca-secret NAMESPACE/NAME | --ca-from-cluster) [options]

${describeFlags(FLAGS, 28)}
Any number of replicas may run; one of them leads. A replica that loses the lease ends with 75, to be started anew.
Logs go to standard error, one JSON object a line. Ends with 0 after SIGTERM or SIGINT, and gives the lease back.
`;

type Values = FlagValues<typeof FLAGS>;

export interface CommandLine extends Values {
  readonly ca: CaPlace;
  /** Undefined: cluster-info is signed and otherwise left alone. */
  readonly clusterInfo: ClusterInfoPlace | undefined;
  readonly disabledRules: readonly string[];
  /** Undefined: there is one replica. */
  readonly election: { readonly namespace: string; readonly name: string; readonly timing: Timing } | undefined;
  readonly logLevel: LogLevel;
  readonly warnings: readonly string[];
}

/** Fault `bad-config` for everything that does not fit. */
export function parseCommandLine(args: readonly string[]): CommandLine | "help" | "version" {
  const read = readFlags(args, FLAGS);
  if (typeof read === "string") return read;
  const { values, warnings } = read;
  // A management cluster has Machines of many clusters.
  if (values.managementKubeconfig !== undefined) requireFlag("--cluster-name", values.cluster?.name);
  return {
    ...values,
    ca: chooseCa(values),
    clusterInfo: clusterInfoOf(values),
    disabledRules: values.disabledRules ?? [],
    election: electionOf(values),
    logLevel: parseLogLevel({ level: values.logLevel, v: values.v }),
    warnings,
  };
}

function chooseCa({ caCert, caKey, caSecret, isCaFromCluster, cluster }: Values): CaPlace {
  const places = [caCert !== undefined || caKey !== undefined, caSecret !== undefined, isCaFromCluster];
  if (places.filter(Boolean).length > 1) {
    throw new Fault(
      "bad-config",
      "--ca-cert and --ca-key, --ca-secret and --ca-from-cluster are places for the CA, expected one of them",
    );
  }
  if (caSecret !== undefined) return { kind: "Secret", ...caSecret };
  if (isCaFromCluster) {
    const { namespace, name = "" } = cluster ?? {};
    return {
      kind: "Cluster",
      ...parseSecretName(`${namespace === undefined ? "" : `${namespace}/`}${name}`, "--cluster-name"),
    };
  }
  return { kind: "Files", certFile: requireFlag("--ca-cert", caCert), keyFile: requireFlag("--ca-key", caKey) };
}

function parseSecretName(text: string, flag: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = "", ...rest] = text.split("/");
  if (namespace !== "" && name !== "" && rest.length === 0) return { namespace, name };
  throw new Fault("bad-config", `${flag} is ${JSON.stringify(text)}, expected namespace/name`);
}

function parseEvidenceCluster(text: string, flag: string): string {
  if (isEvidenceCluster(text)) return text;
  throw new Fault("bad-config", `${flag} is ${JSON.stringify(text)}, expected a word of printable ASCII`);
}

function clusterInfoOf({ clusterInfoServers, clusterInfoCaFile, caCert }: Values): ClusterInfoPlace | undefined {
  const [first, ...others] = clusterInfoServers;
  if (first === undefined) return undefined;
  const caFile = requireFlag("--cluster-info-ca-file", clusterInfoCaFile ?? caCert);
  return { servers: [first, ...others], caFile };
}

function parseServer(text: string, flag: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && url.username === "") return text;
  throw new Fault("bad-config", `${flag} is ${JSON.stringify(text)}, expected https://host:port`);
}

const LEASE_NAME = "node-attestation-controller";

function electionOf(values: Values): CommandLine["election"] {
  const timing = {
    durationMs: values.leaseDurationMs ?? LEASE_TIMING.durationMs,
    renewMs: values.renewDeadlineMs ?? LEASE_TIMING.renewMs,
    retryMs: values.retryPeriodMs ?? LEASE_TIMING.retryMs,
  };
  requireTiming(timing);
  return values.leaderElect === "true" ? { namespace: values.namespace, name: LEASE_NAME, timing } : undefined;
}

function parseSpan(text: string, flag: string): number {
  return parseDuration(flag, text, { minMs: 1 });
}
