// The client-go credential plugin: environment in, one ExecCredential out, nothing else on stdout. On most days it reads
// one file and answers; only when there is no usable certificate, or a renewal is due, does it load the client and ask.

import { readFileSync } from "node:fs";
import { KUBELET_CLIENT_SIGNER, NODE_USER_PREFIX } from "../../api/certificates/index.ts";
import { EXEC_INFO_VARIABLE, type ExecInfo, encodeExecCredential, parseExecInfo } from "../../api/clientauth/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { CertificatePair } from "../../platform/pair/index.ts";
import { loadCurrentPair } from "../certificates/current.ts";
import { type CertificatePlan, jitterOf, planCertificate } from "../certificates/plan.ts";
import { AUTHENTICATORS, type Authenticator, type AuthenticatorName } from "./authenticators.ts";
import type { ExecEdge } from "./edge.ts";
import { type ExecFlags, helpText, parseFlags } from "./flags.ts";
import { encodeExpiry, planExpiry, RETRY_RENEWAL_MS } from "./plan.ts";

/** sysexits(3), where one fits: the caller's log shows the number. */
const EXIT_FAILED = 1;
const EXIT_TRY_AGAIN = 75;
const EXIT_BAD_CONFIG = 78;

/** Resolves with the exit code. */
export async function runAuthenticator(name: AuthenticatorName, edge: ExecEdge): Promise<number> {
  const authenticator: Authenticator = AUTHENTICATORS[name];
  try {
    const invocation = parseFlags(edge.args, authenticator.signerName);
    if (invocation.kind === "help") edge.stdout(helpText(authenticator.program, authenticator.signerName));
    else if (invocation.kind === "version") edge.stdout(`${authenticator.program} ${loadVersion()}\n`);
    else edge.stdout(await answer(authenticator, invocation.flags, edge));
    return 0;
  } catch (error) {
    if (!isFault(error)) throw error;
    edge.stderr(`${authenticator.program}: ${error.message}\n`);
    if (error.code === "bad-config") return EXIT_BAD_CONFIG;
    return error.retryable ? EXIT_TRY_AGAIN : EXIT_FAILED;
  }
}

async function answer(authenticator: Authenticator, flags: ExecFlags, edge: ExecEdge): Promise<string> {
  const info = parseExecInfo(requireInfo(edge.env[EXEC_INFO_VARIABLE]));
  const pair = ownPair(flags);
  // Kubernetes itself renews what its own signer gave; of our signers the provider decides.
  const canRenew = authenticator.canRenew || flags.signerName === KUBELET_CLIENT_SIGNER;
  const plan = planFor(pair, edge.now(), canRenew);
  if (pair !== undefined && plan.kind === "use") return encodeAnswer(info, pair, plan.untilMs, edge);
  const { obtainForExec } = await import("./obtain.ts");
  try {
    const isGood = (found: CertificatePair) => planFor(found, edge.now(), canRenew).kind === "use";
    const fresh = await obtainForExec({ authenticator, flags, info, edge, present: pair, plan, isGood });
    const next = planFor(fresh, edge.now(), canRenew);
    return encodeAnswer(info, fresh, next.kind === "use" ? next.untilMs : edge.now(), edge);
  } catch (error) {
    if (!isFault(error) || pair === undefined || plan.kind !== "renew") throw error;
    edge.stderr(`${authenticator.program}: not renewed, the present certificate still works: ${error.message}\n`);
    return encodeAnswer(info, pair, edge.now() + RETRY_RENEWAL_MS, edge);
  }
}

function requireInfo(text: string | undefined): string {
  if (text !== undefined && text !== "") return text;
  throw new Fault(
    "bad-config",
    `${EXEC_INFO_VARIABLE} is not set; this program is called by kubelet or kubectl through an exec user (see --help)`,
  );
}

/** A pair of another node's name is as good as none: presenting it would be that node. */
function ownPair({ certDirectory, nodeName }: ExecFlags): CertificatePair | undefined {
  const current = loadCurrentPair(certDirectory);
  if (current.kind !== "present") return undefined;
  return current.pair.commonName === `${NODE_USER_PREFIX}${nodeName}` ? current.pair : undefined;
}

function planFor(current: CertificatePair | undefined, nowMs: number, canRenew: boolean): CertificatePlan {
  const jitter = current === undefined ? 0 : jitterOf(current.leaf);
  return planCertificate({ current, nowMs, jitter, canRenew });
}

function encodeAnswer({ apiVersion }: ExecInfo, pair: CertificatePair, untilMs: number, { now }: ExecEdge): string {
  const expiryMs = planExpiry({ untilMs, notAfterMs: pair.notAfterMs, nowMs: now() });
  return encodeExecCredential(apiVersion, {
    clientCertificateData: pair.certificatePem,
    clientKeyData: pair.keyPem,
    expirationTimestamp: encodeExpiry(expiryMs),
  });
}

/** package.json is three levels up both from src/node/exec and from dist/node/exec. */
function loadVersion(): string {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return String((JSON.parse(text) as { readonly version?: unknown }).version);
}
