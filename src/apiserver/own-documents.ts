// The documents about this server itself: health, metrics, and the keys that sign tokens.

import { encodeUtf8 } from "../kernel/bytes/index.ts";
import { METRICS_TYPE } from "../platform/report/index.ts";
import { openIdDocument, type TokenKeys } from "./authentication/service-account/issuer.ts";
import type { Answer, Call } from "./call.ts";
import { type Health, healthAnswer } from "./metrics/health.ts";
import type { Meter } from "./metrics/meter.ts";

interface OwnDocuments {
  readonly health: Health;
  readonly meter: Meter;
  readonly keys: TokenKeys;
  readonly issuer: string;
  /** The address of this server; known once it listens. */
  readonly url: () => string;
}

/** Keys change at a restart at most, so relying parties may cache them for an hour. */
const KEYS_CACHE = "public, max-age=3600";

export function createOwnDocuments(own: OwnDocuments): (call: Call) => Answer | undefined {
  return ({ info, query }) => {
    if (info.verb !== "get" && info.verb !== "head") return undefined;
    const path = info.path.replace(/\/$/, "");
    if (path === "/metrics") return sent(METRICS_TYPE, own.meter.expose());
    if (path === "/metrics/slis") return sent(METRICS_TYPE, own.health.expose());
    const document = openIdDocument(path, { keys: own.keys, issuer: own.issuer, server: own.url() });
    if (document !== undefined) return sent(document.mediaType, JSON.stringify(document.body), KEYS_CACHE);
    return healthAnswer(own.health, path.split("/").slice(1), query);
  };
}

function sent(type: string, body: string, cache?: string): Answer {
  const headers = { "content-type": type, ...(cache === undefined ? {} : { "cache-control": cache }) };
  return { kind: "sent", http: { status: 200, headers, body: encodeUtf8(body) } };
}
