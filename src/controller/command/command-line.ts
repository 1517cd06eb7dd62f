// The words of `node-attestation-controller`: its flags and its help.

import { isEvidenceCluster } from "../../attestation/evidence/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import {
  type Address,
  type FlagValues,
  parseAddress,
  parseChoice,
  parseDuration,
  parseFlags,
  requireFlag,
} from "../../platform/flags/index.ts";
import { LEASE_TIMING, requireTiming, type Timing } from "../../platform/kube/index.ts";
import { LOG_LEVELS, type LogLevel, parseLogLevel } from "../../platform/report/index.ts";
import { CONTROLLER_NAMES, type ControllerName, chooseControllers } from "../compose.ts";
import { requireStricter } from "../judging/index.ts";
import { type ClusterName, parseClusterName } from "../machines/index.ts";

export type CaPlace =
  | { readonly kind: "Files"; readonly certFile: string; readonly keyFile: string }
  | { readonly kind: "Secret"; readonly namespace: string; readonly name: string }
  /** Cluster API's: the Secret beside the Cluster of this name. */
  | { readonly kind: "Cluster"; readonly namespace: string; readonly name: string };

export interface ClusterInfoPlace {
  readonly servers: readonly [string, ...string[]];
  readonly caFile: string;
}

export interface CommandLine {
  /** Absent: the service account of the pod. */
  readonly kubeconfig: string | undefined;
  /** Absent: Machines and identities are in the cluster of the requests. */
  readonly managementKubeconfig: string | undefined;
  /** Absent: there are Machines of one cluster, or policies say which. */
  readonly cluster: ClusterName | undefined;
  /** What machines may name the cluster by. None: the pin of its CA. */
  readonly clusterIds: readonly string[];
  readonly ca: CaPlace;
  readonly controllers: readonly ControllerName[];
  readonly signers: readonly string[] | undefined;
  readonly allowInsecure: boolean;
  /** The CA is not compared with the API server's client CAs. */
  readonly isTrustedElsewhere: boolean;
  /** `PACKAGE` or `PACKAGE=FILE`: installed attestation providers, with their settings. */
  readonly providerPackages: readonly string[];
  /** The same words: packages that know the TPMs of a platform's machines. */
  readonly endorsementKeySources: readonly string[];
  /** Stricter rules that do not hold. */
  readonly disabledRules: readonly string[];
  readonly lifetimeMs: number | undefined;
  /** Absent: cluster-info is signed and otherwise left alone. */
  readonly clusterInfo: ClusterInfoPlace | undefined;
  /** Absent: there is one replica. */
  readonly election: { readonly namespace: string; readonly name: string; readonly timing: Timing } | undefined;
  /** Where the lease and the audit anchor live. */
  readonly namespace: string;
  readonly statusAddress: Address | undefined;
  /** `-`: standard output. */
  readonly auditLog: string;
  readonly logLevel: LogLevel;
}

export const HELP = `node-attestation-controller: approves and signs the certificate requests of nodes

usage: node-attestation-controller (--ca-cert FILE --ca-key FILE | --ca-secret NAMESPACE/NAME | --ca-from-cluster) [options]

  --ca-cert FILE               the cluster's CA certificate, PEM, exactly one; read again when it changes
  --ca-key FILE                its private key, PEM
  --ca-secret NAMESPACE/NAME   both from a Secret of type kubernetes.io/tls instead
  --ca-from-cluster            both from Cluster API's Secret NAME-ca beside the Cluster that --cluster-name names
                               (whichever it is: nothing is signed by a CA whose client certificates the API server does not take)
  --ca-is-trusted-elsewhere    sign all the same: something before the API server judges client certificates
  --kubeconfig FILE            how to reach the API server; without it, the service account of the pod
  --management-kubeconfig FILE where Machines, NodeIdentities and the CA of --ca-from-cluster are, if in another cluster than
                               the requests; needs --cluster-name
  --cluster-name [NAMESPACE/]NAME  which cluster this is, as Cluster API names it: Machines and identities of others never
                               match (default: there is only one, or spec.machines of a JoinPolicy says which)
  --controllers LIST           which loops run: ${CONTROLLER_NAMES.join(", ")};
                               * is all, -name leaves one out (default: *)
  --signers LIST               the signers whose requests are judged and signed, and no others (default: Kubernetes' own
                               for kubelets and API clients, the two of the TPM provider and of each --provider-package)
  --disable-rules ID,…         leave out rules that are stricter than kube-controller-manager's:
                               docs/rules.md names them (default: none)
  --allow-insecure             without --signers: also serve cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure,
                               whose requests prove nothing but the possession of a bootstrap token
  --provider-package NAME[=FILE]  an installed package with the verifier of an attestation provider, and its settings
                               as a JSON object; may be given several times. With --signers, name its signers there
  --endorsement-key-source NAME[=FILE]  an installed package that knows which TPM each Machine has, and its settings; may be
                               given several times
  --cluster-id ID              the name of this cluster that evidence must be made for, instead of the pin of its CA; may be
                               given several times. Clusters that share a CA need one: their machines join with
                               --evidence-cluster ID (default: the pins of the CAs in force, sha256:HEX)
  --certificate-lifetime DURATION  the longest life of a certificate, at least 10m: 90m, 24h, 365d
                               (default: 365d, 1d for signers whose requests prove something)

  --cluster-info-server URL    where kube-public/cluster-info says the API server is; with it, that ConfigMap is made and
                               kept up to date. More of them are further addresses (default: only signatures are kept)
  --cluster-info-ca-file FILE  the CA bundle in it, read again when it changes (default: --ca-cert)

  --leader-elect=false         run without a lease; for one replica only
  --leader-elect-lease-duration DURATION, --leader-elect-renew-deadline DURATION, --leader-elect-retry-period DURATION
                               how long others wait for a silent leader (default: 15s), how long a leader that
                               cannot renew goes on (10s), and the time between two looks at the lease (2s)
  --namespace NAME             where the lease node-attestation-controller and the ConfigMap with the heads of the
                               audit trail live (default: countersign-system)

  --status-address HOST:PORT   serve /metrics, /healthz and /readyz there, plain HTTP (default: nowhere)
  --audit-log FILE             where the audit trail goes; - is standard output (default: -)
  --log-level LEVEL            ${LOG_LEVELS.join(", ")} (default: info), or
  --v NUMBER                   the same in klog's numbers: 0 trouble only, 2 info, 4 debug
  --help, --version

Any number of replicas may run; one of them leads. A replica that loses the lease ends with 75, to be started anew.
Logs go to standard error, one JSON object a line. Ends with 0 after SIGTERM or SIGINT, and gives the lease back.
`;

const FLAGS = {
  kubeconfig: { type: "string" },
  "ca-cert": { type: "string" },
  "ca-key": { type: "string" },
  "ca-secret": { type: "string" },
  "ca-from-cluster": { type: "boolean", default: false },
  "management-kubeconfig": { type: "string" },
  "cluster-name": { type: "string" },
  "cluster-id": { type: "string", multiple: true },
  controllers: { type: "string", default: "*" },
  signers: { type: "string" },
  "allow-insecure": { type: "boolean", default: false },
  "ca-is-trusted-elsewhere": { type: "boolean", default: false },
  "provider-package": { type: "string", multiple: true },
  "endorsement-key-source": { type: "string", multiple: true },
  "disable-rules": { type: "string" },
  "certificate-lifetime": { type: "string" },
  "cluster-info-server": { type: "string", multiple: true },
  "cluster-info-ca-file": { type: "string" },
  "leader-elect": { type: "string", default: "true" },
  "leader-elect-lease-duration": { type: "string" },
  "leader-elect-renew-deadline": { type: "string" },
  "leader-elect-retry-period": { type: "string" },
  namespace: { type: "string", default: "countersign-system" },
  "status-address": { type: "string" },
  "audit-log": { type: "string", default: "-" },
  "log-level": { type: "string" },
  v: { type: "string", short: "v" },
  help: { type: "boolean", short: "h", default: false },
  version: { type: "boolean", default: false },
} as const;

export const FLAG_NAMES: readonly string[] = Object.keys(FLAGS);

/** No request may ask for less, so no signer should give less. */
const MIN_LIFETIME_MS = 600_000;

const LEASE_NAME = "node-attestation-controller";

/** Fault `bad-config` for everything that does not fit. */
export function parseCommandLine(args: readonly string[]): CommandLine | "help" | "version" {
  const values = parseFlags(args, FLAGS);
  if (values.help) return "help";
  if (values.version) return "version";
  const { namespace, "certificate-lifetime": lifetime, "status-address": address, "cluster-name": cluster } = values;
  return {
    kubeconfig: values.kubeconfig,
    managementKubeconfig: parseManagement(values),
    cluster: cluster === undefined ? undefined : parseClusterName("--cluster-name", cluster),
    clusterIds: (values["cluster-id"] ?? []).map(parseClusterId),
    ca: parseCa(values),
    controllers: chooseControllers(values.controllers),
    signers: values.signers?.split(",").map((name) => name.trim()),
    allowInsecure: values["allow-insecure"],
    isTrustedElsewhere: values["ca-is-trusted-elsewhere"],
    providerPackages: values["provider-package"] ?? [],
    endorsementKeySources: values["endorsement-key-source"] ?? [],
    disabledRules: requireStricter(values["disable-rules"]?.split(",") ?? []),
    lifetimeMs:
      lifetime === undefined
        ? undefined
        : parseDuration("--certificate-lifetime", lifetime, { minMs: MIN_LIFETIME_MS }),
    clusterInfo: parseClusterInfo(values),
    election: parseElection(values),
    namespace,
    statusAddress: address === undefined ? undefined : parseAddress("--status-address", address),
    auditLog: values["audit-log"],
    logLevel: parseLogLevel({ level: values["log-level"], v: values.v }),
  };
}

type Values = FlagValues<typeof FLAGS>;

function parseCa(values: Values): CaPlace {
  const { "ca-cert": cert, "ca-key": key, "ca-secret": secret, "ca-from-cluster": isClusters } = values;
  const places = [cert !== undefined || key !== undefined, secret !== undefined, isClusters].filter(Boolean);
  if (places.length > 1) {
    throw new Fault(
      "bad-config",
      "--ca-cert and --ca-key, --ca-secret and --ca-from-cluster are places for the CA, expected one of them",
    );
  }
  if (secret !== undefined) return { kind: "Secret", ...parseSecretName("--ca-secret", secret) };
  if (isClusters) return { kind: "Cluster", ...parseSecretName("--cluster-name", values["cluster-name"] ?? "") };
  return { kind: "Files", certFile: requireFlag("--ca-cert", cert), keyFile: requireFlag("--ca-key", key) };
}

function parseClusterId(text: string): string {
  if (isEvidenceCluster(text)) return text;
  throw new Fault("bad-config", `--cluster-id is ${JSON.stringify(text)}, expected a word of printable ASCII`);
}

/** A management cluster has Machines of many clusters: whoever reads them says whose are meant. */
function parseManagement(values: Values): string | undefined {
  const path = values["management-kubeconfig"];
  if (path !== undefined) requireFlag("--cluster-name", values["cluster-name"]);
  return path;
}

function parseClusterInfo(values: Values): ClusterInfoPlace | undefined {
  const caFile = values["cluster-info-ca-file"] ?? values["ca-cert"];
  const [first, ...others] = (values["cluster-info-server"] ?? []).map(parseServer);
  if (first === undefined) return undefined;
  return { servers: [first, ...others], caFile: requireFlag("--cluster-info-ca-file", caFile) };
}

function parseServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && url.username === "") return text;
  throw new Fault("bad-config", `--cluster-info-server is ${JSON.stringify(text)}, expected https://host:port`);
}

function parseSecretName(flag: string, text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = "", ...rest] = text.split("/");
  if (namespace !== "" && name !== "" && rest.length === 0) return { namespace, name };
  throw new Fault("bad-config", `${flag} is ${JSON.stringify(text)}, expected namespace/name`);
}

function parseElection(values: Values): CommandLine["election"] {
  const wanted = parseChoice("--leader-elect", values["leader-elect"], ["true", "false"]);
  const span = (flag: `leader-elect-${"lease-duration" | "renew-deadline" | "retry-period"}`, defaultMs: number) => {
    const text = values[flag];
    return text === undefined ? defaultMs : parseDuration(`--${flag}`, text, { minMs: 1 });
  };
  const timing = {
    durationMs: span("leader-elect-lease-duration", LEASE_TIMING.durationMs),
    renewMs: span("leader-elect-renew-deadline", LEASE_TIMING.renewMs),
    retryMs: span("leader-elect-retry-period", LEASE_TIMING.retryMs),
  };
  requireTiming(timing);
  return wanted === "true" ? { namespace: values.namespace, name: LEASE_NAME, timing } : undefined;
}
