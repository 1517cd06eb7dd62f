// The words of `countersign-gateway`: its flags and its help.

import { Fault } from "../../kernel/outcome/index.ts";
import { type FlagValues, parseAddress, parseFlags, requireFlag } from "../../platform/flags/index.ts";
import type { ListenAddress } from "../../platform/http/index.ts";
import { LOG_LEVELS, type LogLevel, parseLogLevel } from "../../platform/report/index.ts";
import type { MaterialFiles } from "../material.ts";
import type { Backend } from "../upstreams.ts";

export interface CommandLine {
  readonly address: ListenAddress;
  readonly backend: Backend;
  readonly files: MaterialFiles;
  /** Absent: the service account of the pod. */
  readonly kubeconfig: string | undefined;
  readonly webhook: ListenAddress | undefined;
  readonly health: ListenAddress | undefined;
  readonly logLevel: LogLevel;
}

export const HELP = `countersign-gateway: lets clients with a bootstrap token find out whom they talk to, before a kube-apiserver

It stands before an API server, knows discovery JWTs and signs the answers to them. Everything else passes: bearer tokens as
they are, client certificates verified here and vouched for by front-proxy headers, watches and upgrades untouched.

usage: countersign-gateway --listen ADDRESS --backend URL --tls-cert-file FILE --tls-private-key-file FILE [options]

  --listen HOST:PORT                 where clients come in
  --backend URL                      the API server behind, https://host:port
  --backend-ca-file FILE             how to know it (default: the system's roots)
  --backend-server-name NAME         the name in its certificate, where that is not the host
  --tls-cert-file FILE               the certificate that clients see, and
  --tls-private-key-file FILE        its key
  --kubeconfig FILE                  how to read bootstrap tokens; without it, the service account of the pod

  --client-ca-file FILE              whose client certificates are believed: the API server's own --client-ca-file
  --proxy-client-cert-file FILE      the gateway's certificate, signed by the API server's --requestheader-client-ca-file
                                     and with a name of its --requestheader-allowed-names, and
  --proxy-client-key-file FILE       its key. These three go together. Without them client certificates are refused, and
                                     discovery JWTs go on as they are, to an API server that asks the webhook

  --identity-headers NAME,...        where the API server's --requestheader-*-headers name others than X-Remote-*: those, or
                                     what they begin with; from clients they are removed as X-Remote-* are
  --webhook-listen HOST:PORT         serve POST /authenticate, a TokenReview webhook that knows discovery JWTs
  --webhook-client-ca-file FILE      whose client certificates may ask it; needed with it
  --status-address HOST:PORT         /livez, /readyz and /metrics, plain HTTP (default: 127.0.0.1:9446; none: off)
  --log-level LEVEL                  ${LOG_LEVELS.join(", ")} (default: info), or
  --v NUMBER                         the same in klog's numbers: 0 trouble only, 2 info, 4 debug
  --help, --version

Files are read again when they change. Logs go to standard error, one JSON object a line. Ends with 0 after SIGTERM or SIGINT.
`;

const FLAGS = {
  listen: { type: "string" },
  backend: { type: "string" },
  "backend-ca-file": { type: "string" },
  "backend-server-name": { type: "string" },
  "tls-cert-file": { type: "string" },
  "tls-private-key-file": { type: "string" },
  kubeconfig: { type: "string" },
  "client-ca-file": { type: "string" },
  "proxy-client-cert-file": { type: "string" },
  "proxy-client-key-file": { type: "string" },
  "identity-headers": { type: "string" },
  "webhook-listen": { type: "string" },
  "webhook-client-ca-file": { type: "string" },
  "status-address": { type: "string", default: "127.0.0.1:9446" },
  "log-level": { type: "string" },
  v: { type: "string", short: "v" },
  help: { type: "boolean", short: "h", default: false },
  version: { type: "boolean", default: false },
} as const;

type Values = FlagValues<typeof FLAGS>;

/** `"help"` or `"version"` when that was asked for. Fault `bad-config` for everything that does not fit. */
export function parseCommandLine(args: readonly string[]): CommandLine | "help" | "version" {
  const values = parseFlags(args, FLAGS);
  if (values.help) return "help";
  if (values.version) return "version";
  const webhook = values["webhook-listen"];
  const health = values["status-address"];
  return {
    address: parseAddress("--listen", requireFlag("--listen", values.listen)),
    backend: {
      origin: parseOrigin(requireFlag("--backend", values.backend)),
      serverName: values["backend-server-name"],
      identityHeaders: parseHeaderNames(values["identity-headers"]),
    },
    files: filesOf(values),
    kubeconfig: values.kubeconfig,
    webhook: webhook === undefined ? undefined : parseAddress("--webhook-listen", webhook),
    health: health === "none" ? undefined : parseAddress("--status-address", health),
    logLevel: parseLogLevel({ level: values["log-level"], v: values.v }),
  };
}

function filesOf(values: Values): MaterialFiles {
  return {
    serving: {
      cert: requireFlag("--tls-cert-file", values["tls-cert-file"]),
      key: requireFlag("--tls-private-key-file", values["tls-private-key-file"]),
    },
    backendCa: values["backend-ca-file"],
    clients: clientsOf(values),
    webhookCallers: webhookCallersOf(values),
  };
}

function clientsOf(values: Values): MaterialFiles["clients"] {
  const ca = values["client-ca-file"];
  const cert = values["proxy-client-cert-file"];
  const key = values["proxy-client-key-file"];
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
  return {
    ca: requireFlag("--client-ca-file", ca),
    pair: { cert: requireFlag("--proxy-client-cert-file", cert), key: requireFlag("--proxy-client-key-file", key) },
  };
}

/** A webhook that anybody may ask tells anybody which guess of a secret is right. */
function webhookCallersOf(values: Values): string | undefined {
  const file = values["webhook-client-ca-file"];
  return values["webhook-listen"] === undefined ? undefined : requireFlag("--webhook-client-ca-file", file);
}

function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || url.pathname !== "/" || url.search !== "" || url.username !== "") {
    throw new Fault("bad-config", `--backend is ${JSON.stringify(text)}, expected https://host:port`);
  }
  return url.origin;
}

function parseHeaderNames(text: string | undefined): readonly string[] | undefined {
  const names = text?.split(",").map((name) => name.trim().toLowerCase());
  const wrong = names?.find((name) => !/^[a-z0-9_-]+$/.test(name));
  if (wrong === undefined) return names;
  throw new Fault(
    "bad-config",
    `--identity-headers has ${JSON.stringify(wrong)}, expected names of headers with commas between`,
  );
}
