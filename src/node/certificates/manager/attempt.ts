// One attempt to get a certificate: the credential, the names, and the events on the way.

import { Fault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { CertificatePair, PairCertificate } from "../../../platform/pair/index.ts";
import { takesEvidence } from "../attested/claims.ts";
import { obtainCertificate } from "../obtain.ts";
import type { RequestProgress } from "../request.ts";
import type { ServingNames } from "../template.ts";
import type { ManagerEvent, ManagerOptions } from "./options.ts";

interface Attempt {
  /** The pair to ask with; undefined: the bootstrap credential. */
  readonly as: CertificatePair | undefined;
  readonly serving: ServingNames | undefined;
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
  /** The clock by which certificates are judged. */
  readonly clock: Clock;
  /** Whether a pair that another process stored meanwhile is good enough. */
  readonly isGood: (pair: PairCertificate) => boolean;
  readonly onServerTime: (serverMs: number) => void;
}

export async function attemptCertificate(options: ManagerOptions, attempt: Attempt): Promise<CertificatePair> {
  const client = await openClient(options, attempt.as);
  try {
    return await obtainCertificate({
      ...progress(options.onEvent),
      onServerTime: attempt.onServerTime,
      store: options.store,
      client,
      nodeName: options.nodeName,
      serving: attempt.serving,
      signerName: options.signerName,
      provider: options.provider,
      providerId: options.providerId,
      evidenceCluster: options.evidenceCluster ?? options.access.evidenceCluster,
      recipient: options.recipient,
      intent: attempt.as === undefined ? "join" : "renew",
      roots: options.access.roots,
      isGood: attempt.isGood,
      onRefusal: "new-key",
      clock: attempt.clock,
      random: options.random,
      signal: untilEither(attempt.signal, options.access.untilMoved?.()),
      limitMs: attempt.limitMs,
    });
  } finally {
    await client.close();
  }
}

function untilEither(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other]);
}

async function openClient(options: ManagerOptions, as: CertificatePair | undefined): Promise<KubeClient> {
  const { access, nodeName } = options;
  if (as !== undefined) return access.asNode(as);
  const client = await access.asBootstrapper();
  if (client !== undefined) return client;
  if (hasPairThatCannotRenew(options)) throw cannotRenew(options);
  throw new Fault(
    "bad-config",
    `node ${nodeName} has no valid certificate and no credential to ask for one; give a bootstrap kubeconfig with a ` +
      "live token, or join again: countersign node join",
  );
}

/** The certificate may be good for long; with what this provider proves it is no credential for the next one. */
function hasPairThatCannotRenew({ signerName, provider, store }: ManagerOptions): boolean {
  return takesEvidence(signerName) && !provider.canRenew && store.load() !== undefined;
}

function cannotRenew({ nodeName, provider: { name } }: ManagerOptions): Fault {
  const todo =
    `before the certificate of ${nodeName} ends, join again with a live token: countersign node join --provider ${name} ` +
    "--token-file FILE ADDRESS; with --provider tpm, or without --provider, certificates are renewed";
  return new Fault(
    "bad-config",
    `ProviderCannotRenew: a certificate that was asked for with provider ${name} is not renewed, because its holder has ` +
      "proved nothing; a node with this provider joins again",
    { detail: { todo } },
  );
}

function progress(onEvent: ((event: ManagerEvent) => void) | undefined): RequestProgress {
  return {
    onRequested: (name, reused) => onEvent?.({ kind: "requested", name, reused }),
    onState: (state) => onEvent?.({ kind: "request", state }),
  };
}
