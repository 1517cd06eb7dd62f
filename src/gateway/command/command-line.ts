// The flags of `countersign-gateway`, as one table, and its help.

import { Fault } from "../../kernel/outcome/index.ts";
import {
  type Address,
  describeFlags,
  type FlagTable,
  type FlagValues,
  parseAddress,
  readFlags,
  requireFlag,
} from "../../platform/flags/index.ts";
import type { ListenAddress } from "../../platform/http/index.ts";
import { LOG_FLAGS, type LogLevel, parseLogLevel } from "../../platform/report/index.ts";
import type { MaterialFiles } from "../material.ts";
import type { Backend } from "../upstreams.ts";

const FLAGS = {
  listen: { flag: "--listen HOST:PORT", help: "where clients come in" },
  backend: { flag: "--backend URL", help: "the API server behind, https://host:port" },
  backendCa: { flag: "--backend-ca-file FILE", help: "how to know it (default: the system's roots)" },
  serverName: {
    flag: "--backend-server-name NAME",
    help: "the name in its certificate, where that is not the host",
  },
  servingCert: { flag: "--tls-cert-file FILE", help: "the certificate that clients see, and" },
  servingKey: { flag: "--tls-private-key-file FILE", help: "its key" },
  kubeconfig: {
    flag: "--kubeconfig FILE",
    help: "how to read bootstrap tokens; without it, the service account of the pod",
  },
  clientCa: {
    flag: "--client-ca-file FILE",
    opensParagraph: true,
    help: "whose client certificates are believed: the API server's own --client-ca-file",
  },
  proxyCert: {
    flag: "--proxy-client-cert-file FILE",
    help:
      "the gateway's certificate, signed by the API server's --requestheader-client-ca-file and with a name of its " +
      "--requestheader-allowed-names, and",
  },
  proxyKey: {
    flag: "--proxy-client-key-file FILE",
    help:
      "its key. These three go together. Without them client certificates are refused, and discovery JWTs go on as " +
      "they are, to an API server that asks the webhook",
  },
  identityHeaders: {
    flag: "--identity-headers NAME,...",
    opensParagraph: true,
    help:
      "where the API server's --requestheader-*-headers name others than X-Remote-*: those, or what they begin with; " +
      "from clients they are removed as X-Remote-* are",
    parse: parseHeaderNames,
  },
  webhook: {
    flag: "--webhook-listen HOST:PORT",
    help: "serve POST /authenticate, a TokenReview webhook that knows discovery JWTs",
    parse: (text: string, flag: string): Address => parseAddress(flag, text),
  },
  webhookCallers: {
    flag: "--webhook-client-ca-file FILE",
    help: "whose client certificates may ask it; needed with it",
  },
  health: {
    flag: "--status-address HOST:PORT",
    help: "/livez, /readyz and /metrics, plain HTTP (default: 127.0.0.1:9446; none: off)",
    default: "127.0.0.1:9446",
    parse: (text: string, flag: string) => (text === "none" ? undefined : parseAddress(flag, text)),
  },
  ...LOG_FLAGS,
} as const satisfies FlagTable;

type Values = FlagValues<typeof FLAGS>;

export interface CommandLine extends Pick<Values, "kubeconfig" | "webhook" | "health"> {
  readonly address: ListenAddress;
  readonly backend: Backend;
  readonly files: MaterialFiles;
  readonly logLevel: LogLevel;
}

export const HELP = `countersign-gateway: lets clients with a bootstrap token find out whom they talk to,
before a kube-apiserver

It stands before an API server, knows discovery JWTs and signs the answers to them. Everything else passes: bearer
tokens as they are, client certificates verified here and vouched for by front-proxy headers, watches and upgrades
untouched.

usage: countersign-gateway --listen ADDRESS --backend URL --tls-cert-file FILE --tls-private-key-file FILE [options]

${describeFlags(FLAGS, 34)}
Files are read again when they change. Logs go to standard error, one JSON object a line. Ends with 0 after SIGTERM or
SIGINT.
`;

/** `"help"` or `"version"` when that was asked for. Fault `bad-config` for everything that does not fit. */
export function parseCommandLine(args: readonly string[]): CommandLine | "help" | "version" {
  const read = readFlags(args, FLAGS);
  if (typeof read === "string") return read;
  const { values } = read;
  const { serverName, identityHeaders, kubeconfig, webhook, health } = values;
  return {
    address: parseAddress("--listen", requireFlag("--listen", values.listen)),
    backend: { origin: parseOrigin(requireFlag("--backend", values.backend)), serverName, identityHeaders },
    files: filesOf(values),
    ...{ kubeconfig, webhook, health },
    logLevel: parseLogLevel({ level: values.logLevel, v: values.v }),
  };
}

function filesOf(values: Values): MaterialFiles {
  return {
    serving: {
      cert: requireFlag("--tls-cert-file", values.servingCert),
      key: requireFlag("--tls-private-key-file", values.servingKey),
    },
    backendCa: values.backendCa,
    clients: clientsOf(values),
    webhookCallers: webhookCallersOf(values),
  };
}

function clientsOf({ clientCa, proxyCert, proxyKey }: Values): MaterialFiles["clients"] {
  if (clientCa === undefined && proxyCert === undefined && proxyKey === undefined) return undefined;
  return {
    ca: requireFlag("--client-ca-file", clientCa),
    pair: {
      cert: requireFlag("--proxy-client-cert-file", proxyCert),
      key: requireFlag("--proxy-client-key-file", proxyKey),
    },
  };
}

/** A webhook without client authentication would tell any caller which guess of a secret is right. */
function webhookCallersOf({ webhook, webhookCallers }: Values): string | undefined {
  return webhook === undefined ? undefined : requireFlag("--webhook-client-ca-file", webhookCallers);
}

function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || url.pathname !== "/" || url.search !== "" || url.username !== "") {
    throw new Fault("bad-config", `--backend is ${JSON.stringify(text)}, expected https://host:port`);
  }
  return url.origin;
}

function parseHeaderNames(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim().toLowerCase());
  const wrong = names.find((name) => !/^[a-z0-9_-]+$/.test(name));
  if (wrong === undefined) return names;
  throw new Fault(
    "bad-config",
    `--identity-headers has ${JSON.stringify(wrong)}, expected names of headers with commas between`,
  );
}
