// The client-go credential plugin: environment in, one ExecCredential out, nothing else on stdout. On most days it reads
// one file and answers; only when there is no usable certificate, or a renewal is due, does it load the client and ask. What to do
// follows from the certificate alone; where the TPM has sealed the key, the provider is loaded to open it, and nothing else.

import { KUBELET_CLIENT_SIGNER, NODE_USER_PREFIX } from "../../api/certificates/index.ts";
import { EXEC_INFO_VARIABLE, type ExecInfo, encodeExecCredential, parseExecInfo } from "../../api/clientauth/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { type CertificatePair, isSealed, openPair, type StoredPair } from "../../platform/pair/index.ts";
import { VERSION } from "../../platform/process/index.ts";
import { loadCurrentPair } from "../certificates/current.ts";
import { requireNoOthers } from "../certificates/others-pair.ts";
import { type CertificatePlan, jitterOf, type Lifetime, usefulLife } from "../certificates/plan.ts";
import type { Authenticator } from "./authenticators.ts";
import type { ExecEdge } from "./edge.ts";
import { type ExecFlags, helpText, parseFlags } from "./flags.ts";
import type { ExecNeed } from "./obtain.ts";
import { encodeExpiry, planExpiry, planRun } from "./plan.ts";
import { waitForOther } from "./wait-for-other.ts";

/** sysexits(3), where one fits: the caller's log shows the number. */
const EXIT_FAILED = 1;
/** Only an operator can help (protocol 7.3): the identity was revoked, say. The next try is ten minutes away. */
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

/** The life of what is stored, and the key that is at hand already: the TPM need not be asked for it again. */
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

/** A pair of another node's name is never presented, which would be that node; one that is over is as good as none. */
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
