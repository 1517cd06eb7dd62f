// Many nodes that join at once: requests made with a bootstrap token, as kubelets make them, and what became of each.

import {
  type CertificateSigningRequest,
  CLIENT_USAGES,
  KUBELET_CLIENT_SIGNER,
} from "../../../src/api/certificates/index.ts";
import { CSRS } from "../../../src/api/meta/index.ts";
import { encodeBase64, encodeUtf8 } from "../../../src/kernel/bytes/index.ts";
import { encodePem } from "../../../src/kernel/pem/index.ts";
import { signCertificateRequest } from "../../../src/kernel/x509/index.ts";
import { systemClock } from "../../../src/platform/clock/index.ts";
import { generatePrivateKey } from "../../../src/platform/keys/index.ts";
import { createInformer, type Informer, type KubeClient } from "../../../src/platform/kube/index.ts";
import { silentLog } from "../../../src/platform/report/index.ts";

export function joinRequest(name: string): CertificateSigningRequest {
  const subject = { commonName: `system:node:${name}`, organizations: ["system:nodes"] };
  const der = signCertificateRequest({ subject, extensions: [] }, generatePrivateKey("P-256").signer);
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: `csr-${name}` },
    spec: {
      request: encodeBase64(encodeUtf8(encodePem("CERTIFICATE REQUEST", der))),
      signerName: KUBELET_CLIENT_SIGNER,
      usages: CLIENT_USAGES,
    },
  };
}

export interface Joins {
  /** Names of all requests that were made so far. */
  readonly created: readonly string[];
  issued(): number;
  /** Resolves when so many have their certificate. */
  untilIssued(count: number, limitMs: number): Promise<void>;
  get(name: string): CertificateSigningRequest | undefined;
  stop(): Promise<void>;
}

/** Creates all requests, some at a time, and follows them as the administrator. */
export function startJoins(
  { node, admin }: { readonly node: KubeClient; readonly admin: KubeClient },
  requests: readonly CertificateSigningRequest[],
  atOnce = 4,
): Joins & { readonly made: Promise<void> } {
  const stop = new AbortController();
  const csrs = createInformer<CertificateSigningRequest>(admin, CSRS, {
    clock: systemClock,
    random: Math.random,
    log: silentLog,
  });
  const running = csrs.run(stop.signal);
  const created: string[] = [];
  const left = [...requests];
  const create = async (): Promise<void> => {
    for (let request = left.shift(); request !== undefined; request = left.shift()) {
      await node.create(CSRS, request);
      created.push(request.metadata.name ?? "");
    }
  };
  return {
    created,
    made: Promise.all(Array.from({ length: atOnce }, create)).then(() => undefined),
    issued: () => issuedOf(csrs).length,
    untilIssued: (count, limitMs) => untilIssued(csrs, count, limitMs),
    get: (name) => csrs.get(name),
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}

function issuedOf(csrs: Informer<CertificateSigningRequest>) {
  return csrs.list().filter(({ status }) => (status?.certificate ?? "") !== "");
}

async function untilIssued(csrs: Informer<CertificateSigningRequest>, count: number, limitMs: number): Promise<void> {
  const until = Date.now() + limitMs;
  while (issuedOf(csrs).length < count) {
    if (Date.now() > until) {
      const seen = csrs.list();
      const waiting = seen.filter(({ status }) => (status?.certificate ?? "") === "").slice(0, 3);
      throw new Error(
        `${issuedOf(csrs).length} of ${count} certificates after ${limitMs} ms; still without: ${JSON.stringify(waiting)}`,
      );
    }
    await systemClock.sleep(50);
  }
}
