// The client-go credential plugin: environment in, one ExecCredential out, nothing else on stdout. On most days it
// reads one file and answers; only when there is no usable certificate, or a renewal is due, does it load the client
// and request. The certificate alone decides; where the TPM has sealed the key, the provider is loaded to open it, and
// nothing else.

import { existsSync } from "node:fs";
import { KUBELET_CLIENT_SIGNER, NODE_USER_PREFIX } from "../../api/certificates/index.ts";
import { EXEC_INFO_VARIABLE, type ExecInfo, encodeExecCredential, parseExecInfo } from "../../api/clientauth/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { type CertificatePair, isSealed, openPair, type StoredPair } from "../../platform/pair/index.ts";
import { VERSION } from "../../platform/process/index.ts";
import { loadCurrentPair, requireNoOthers } from "../certificates/current.ts";
import { storeLayout } from "../certificates/layout.ts";
import { type CertificatePlan, jitterOf, type Lifetime, usefulLife } from "../certificates/plan.ts";
import type { Authenticator } from "./authenticators.ts";
import type { ExecEdge } from "./edge.ts";
import { type ExecFlags, helpText, parseFlags } from "./flags.ts";
import type { ExecNeed } from "./obtain.ts";
import { encodeExpiry, planExpiry, planRun } from "./plan.ts";

/** sysexits(3), where one fits: the caller's log shows the number. */
const EXIT_FAILED = 1;
/** Only an operator can help, for example because the identity was revoked. The next try is ten minutes away. */
const EXIT_OPERATOR = 3;
const EXIT_TRY_AGAIN = 75;
const EXIT_BAD_CONFIG = 78;

/** Resolves with the exit code. */
export async function runAuthenticator(authenticator: Authenticator, edge: ExecEdge): Promise<number> {
  try {
    const invocation = parseFlags(edge.args, authenticator);
    if (invocation.kind === "help") edge.stdout(helpText(authenticator));
    else if (invocation.kind === "version") edge.stdout(`${authenticator.program} ${VERSION}\n`);
    else edge.stdout(await answer({ authenticator, flags: invocation.flags, edge }));
    return 0;
  } catch (error) {
    if (!isFault(error)) throw error;
    edge.stderr(`${authenticator.program}: ${wordsOf(error)}\n`);
    if (error.code === "bad-config") return EXIT_BAD_CONFIG;
    if (error.detail["next"] === "operator") return EXIT_OPERATOR;
    return error.retryable ? EXIT_TRY_AGAIN : EXIT_FAILED;
  }
}

/** With what can be done about it, where the fault knows. */
function wordsOf({ message, detail: { todo } }: Fault): string {
  return typeof todo === "string" ? `${message}; ${todo}` : message;
}

interface Run {
  readonly authenticator: Authenticator;
  readonly flags: ExecFlags;
  readonly edge: ExecEdge;
}

/** A pair and the life that it has on this machine. */
interface Present {
  readonly pair: StoredPair;
  readonly life: Lifetime;
}

async function answer(run: Run): Promise<string> {
  const { authenticator, flags, edge } = run;
  const info = parseExecInfo(requireInfo(edge.env[EXEC_INFO_VARIABLE]));
  const load = () => loadPresent(flags, edge.now());
  const present = load();
  // Kubernetes itself renews what its own signer gave; of our signers the provider decides.
  const canRenew = authenticator.canRenew || flags.signerName === KUBELET_CLIENT_SIGNER;
  const planOf = (life: Lifetime | undefined) => planRun({ current: life, nowMs: edge.now(), canRenew });
  const encode = ({ pair, life }: Present, plan: CertificatePlan) => {
    const expiryMs = planExpiry({ life, plan, jitter: jitterOf(pair.leaf), canRenew, nowMs: edge.now() });
    if (!isSealed(pair)) return encodeAnswer(info, pair, expiryMs);
    return unsealed(run, pair).then((opened) => encodeAnswer(info, opened, expiryMs));
  };
  const plan = planOf(present?.life);
  if (present !== undefined && plan.kind === "use") return encode(present, plan);
  const isGood = () => planOf(load()?.life).kind === "use";
  try {
    const isThere = await waitForOther(flags.certDirectory, isGood);
    const obtained = isThere ? undefined : await obtain({ ...run, info, present: present?.pair, plan, isGood });
    const fresh = withKeyOf(load(), obtained) ?? obtained;
    if (fresh === undefined) throw new Fault("conflict", "the certificate is gone again; try again");
    return await encode(fresh, planOf(fresh.life));
  } catch (error) {
    if (!isFault(error) || present === undefined || plan.kind !== "renew") throw error;
    const text = await encode(present, plan);
    edge.stderr(`${authenticator.program}: not renewed, the present certificate still works: ${wordsOf(error)}\n`);
    return text;
  }
}

/** The life of the stored pair, and its key if it is open already, so that the TPM need not open it again. */
function withKeyOf(stored: Present | undefined, obtained: Present | undefined): Present | undefined {
  if (stored === undefined || stored.pair.certificatePem !== obtained?.pair.certificatePem) return stored;
  return { pair: obtained.pair, life: stored.life };
}

async function unsealed({ authenticator, flags }: Run, pair: StoredPair): Promise<CertificatePair> {
  const { keySeal } = await authenticator.loadProvider(flags.own);
  return openPair(pair, keySeal);
}

/** The slow way: only here are a client, a YAML parser and X.509 loaded. */
async function obtain(need: ExecNeed): Promise<Present> {
  const { obtainForExec } = await import("./obtain.ts");
  const pair = await obtainForExec(need);
  return { pair, life: pair };
}

function requireInfo(text: string | undefined): string {
  if (text !== undefined && text !== "") return text;
  throw new Fault(
    "bad-config",
    `${EXEC_INFO_VARIABLE} is not set; this program is called by kubelet or kubectl through an exec user (see --help)`,
  );
}

/**
 * A pair of another node is never presented, because the caller would act as that node. An expired one counts as none.
 */
function loadPresent({ certDirectory, nodeName }: ExecFlags, nowMs: number): Present | undefined {
  const current = loadCurrentPair(certDirectory);
  requireNoOthers(current, { directory: certDirectory, nodeName, nowMs });
  if (current.kind !== "present" || current.pair.commonName !== `${NODE_USER_PREFIX}${nodeName}`) return undefined;
  return { pair: current.pair, life: usefulLife(current.pair, current.storedMs) };
}

function encodeAnswer({ apiVersion }: ExecInfo, { certificatePem, keyPem }: CertificatePair, expiryMs: number): string {
  return encodeExecCredential(apiVersion, {
    clientCertificateData: certificatePem,
    clientKeyData: keyPem,
    expirationTimestamp: encodeExpiry(expiryMs),
  });
}

/** A live holder of the lock is done sooner; the lock of a dead one is taken over by the caller. */
const LONGEST_WAIT_MS = 3_000;
const LOOK_AGAIN_MS = 50;

/**
 * Another process is requesting this node's certificate already, and will store it for us too. Waiting here, before the
 * client is loaded, makes many plugins at once cheap. Nothing depends on it: after the wait the caller takes the lock.
 */
async function waitForOther(certDirectory: string, isDone: () => boolean): Promise<boolean> {
  const { lockPath } = storeLayout(certDirectory);
  for (let waitedMs = 0; waitedMs < LONGEST_WAIT_MS && existsSync(lockPath); waitedMs += LOOK_AGAIN_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    if (isDone()) return true;
  }
  return isDone();
}
