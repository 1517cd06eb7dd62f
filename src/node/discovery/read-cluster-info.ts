// One read of kube-public/cluster-info on a connection of its own, so that no read relies on the trust of an earlier
// one.

import { CLUSTER_INFO_PATH } from "../../api/bootstrap/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { getHttps, type HttpsAnswer, type ServerTrust } from "../../platform/http/index.ts";
import { faultFromResponse } from "../../platform/kube/index.ts";
import { untrusted } from "./cluster.ts";

/** One reading; a server that needs longer is asked again. As kubeadm. */
const READ_TIMEOUT_MS = 10_000;
/** etcd holds no object of more than 1.5 MiB, and cluster-info has a few KiB. */
const ANSWER_MAX_BYTES = 1_572_864;

interface Reading {
  /** `https://host:port`, with the path prefix of a server that has one. */
  readonly address: string;
  readonly trust: ServerTrust;
  readonly tlsServerName?: string | undefined;
  readonly bearer?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Where a proxy may be named. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** With the status 200, 401 or 403; every other one is a Fault. */
export async function readClusterInfo(reading: Reading): Promise<HttpsAnswer> {
  const { address, trust, tlsServerName, bearer, signal, env } = reading;
  const answer = await getHttps({
    url: `${address.replace(/\/+$/, "")}${CLUSTER_INFO_PATH}`,
    trust,
    tlsServerName,
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
    timeoutMs: READ_TIMEOUT_MS,
    maxBytes: ANSWER_MAX_BYTES,
    signal,
    env,
  });
  if (answer.status >= 300 && answer.status < 400) {
    throw untrusted({
      rule: "answer-is-no-redirect",
      message: `${address} sends us elsewhere (status ${answer.status}), which is not followed: nothing is proved yet; give the address of an API server`,
    });
  }
  if (isRefusedAnswer(answer) || answer.status === 200) return answer;
  throw faultOf(answer, address);
}

/** The server does not know the caller, or does not permit the read: the answer of a plain API server to a JWT. */
export function isRefusedAnswer({ status }: HttpsAnswer): boolean {
  return status === 401 || status === 403;
}

export function faultOf({ status, headers, body }: HttpsAnswer, address: string): Fault {
  const retryAfter = headers["retry-after"];
  const fault = faultFromResponse({
    method: "GET",
    status,
    body: Buffer.from(body).toString("utf8"),
    retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
  });
  return new Fault(fault.code, `${address}: ${fault.message}`, { cause: fault, detail: fault.detail });
}
