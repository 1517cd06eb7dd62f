// An answer to a request for kube-public/cluster-info, not yet trusted. Only its text is looked at. Pure.

import { parseUtf8 } from "../../../kernel/bytes/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";

export const CLUSTER_INFO = { namespace: "kube-public", name: "cluster-info" } as const;

export interface ClusterInfoAnswer {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The exact bytes of the body. */
  readonly body: Uint8Array;
}

export interface ReadConfigMap {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

/** Fault `malformed` when it is not a JSON object. */
export function parseConfigMap(body: Uint8Array): ReadConfigMap {
  const root = parseObject(body);
  const metadata = recordOf(root["metadata"]);
  return {
    apiVersion: textOf(root["apiVersion"]),
    kind: textOf(root["kind"]),
    namespace: textOf(metadata["namespace"]),
    name: textOf(metadata["name"]),
    data: stringsOf(root["data"]),
  };
}

function parseObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(parseUtf8(body));
  } catch (cause) {
    throw new Fault(
      "malformed",
      "the answer for cluster-info is not JSON: it was cut short, or it is not an API server",
      {
        cause,
      },
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Fault("malformed", "the answer for cluster-info is not a JSON object");
  }
  return value as Readonly<Record<string, unknown>>;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** An untrusted name, short enough for a message. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 64) : "";
}

function stringsOf(data: unknown): Readonly<Record<string, string>> {
  const texts = Object.entries(recordOf(data)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts);
}
