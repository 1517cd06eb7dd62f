// One question to an API server, without a credential: does the name lead somewhere, does somebody answer, does the CA
// vouch for it, and what time is it there?

import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Reach } from "./facts.ts";

export interface ProbeTarget {
  readonly server: string;
  readonly caPem: string;
  readonly tlsServerName?: string | undefined;
}

const PROBE_LIMIT_MS = 5_000;

export async function probeServer(target: ProbeTarget): Promise<Reach> {
  try {
    return { kind: "answers", serverMs: await askTime(target, true) };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
      return { kind: "no-name", host: new URL(target.server).hostname, why: code };
    }
    if (!isDistrust(code)) return { kind: "unreachable", why: isFault(error) || code === "" ? message : code };
    return { kind: "untrusted", why: message, serverMs: await timeOfStranger(target) };
  }
}

/** OpenSSL's verdicts, and Node's about names. */
function isDistrust(code: string): boolean {
  return /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_|INVALID_CA|HOSTNAME_MISMATCH)/.test(code);
}

/** A wrong clock is a common cause of distrust, so even a stranger is asked for the time. Nothing else of it is used. */
async function timeOfStranger(target: ProbeTarget): Promise<number | undefined> {
  try {
    return await askTime(target, false);
  } catch {
    return undefined; // it is only a hint
  }
}

function askTime(target: ProbeTarget, rejectUnauthorized: boolean): Promise<number | undefined> {
  const { server, caPem, tlsServerName } = target;
  return new Promise((resolve, reject) => {
    const asked = request(
      new URL("/version", server),
      {
        agent: false,
        ca: caPem,
        rejectUnauthorized,
        timeout: PROBE_LIMIT_MS,
        ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
      },
      (answer: IncomingMessage) => {
        answer.resume();
        const ms = Date.parse(answer.headers.date ?? "");
        resolve(Number.isNaN(ms) ? undefined : ms);
      },
    );
    asked.on("timeout", () => asked.destroy(new Fault("timeout", `no answer in ${PROBE_LIMIT_MS / 1_000} s`)));
    asked.on("error", reject);
    asked.end();
  });
}
