// What a NodeIdentity holds a node to. A retired identity holds it to nothing; one that an operator reset holds a join
// to nothing while the reset is open.

import type { IssuedCertificate, NodeIdentity, NodeIdentityStatus } from "../../api/countersign/index.ts";
import { assert, type Finding, notYet, pass, type Rule, refuse, type Seen } from "../../kernel/outcome/index.ts";
import { type Envelope, encodeProtocol, type Protocol, parseProtocol, type Statement } from "../evidence/index.ts";
import { type EvidenceFacts, RETRY_UNREAD_MS } from "./facts.ts";
import { withEvidence } from "./with-evidence.ts";

/** The valid pins, or undefined where there are none. */
export function pinsOf(identity: Seen<NodeIdentity>): NodeIdentityStatus | undefined {
  if (identity.kind !== "Present") return undefined;
  return isRetired(identity.value) ? undefined : identity.value.status;
}

export function isRevoked({ spec, status }: NodeIdentity): boolean {
  return spec.revoked === true || status?.phase === "Revoked";
}

/**
 * An operator's decision counts at once, both ways: `false` is a retirement that was lifted, whatever phase the
 * controller has written before. Without a decision, an identity is retired when its Machine and its Node are gone.
 */
export function isRetired({ spec, status }: NodeIdentity): boolean {
  return spec.retired ?? status?.phase === "Retired";
}

/** Whether the operator enrolled this endorsement key for the name, and the node was attested by no TPM since. */
export function isEnrolledKey(identity: Seen<NodeIdentity>, ekSpkiSha256: string): boolean {
  if (identity.kind !== "Present" || isRetired(identity.value)) return false;
  const { spec, status } = identity.value;
  return status?.tpm === undefined && spec.tpm?.ek.spkiSha256 === ekSpkiSha256;
}

/** As `provesNothing` of the provider's contract, of the name that an identity or a signer records. */
export function provesNothing(provider: string | undefined): boolean {
  return provider === "insecure";
}

/** Certificates of a node that joined under a retired name were given for no attestation. */
export function isProven({ unproven }: IssuedCertificate): boolean {
  return unproven !== true;
}

interface OpenReset {
  /** The one key that may be pinned anew; absent: any that is trusted. */
  readonly ekSpkiSha256: string | undefined;
}

/** The reset that an operator opened, while it lasts. */
export function openReset({ spec }: NodeIdentity, nowMs: number): OpenReset | undefined {
  const { reset } = spec;
  if (reset === undefined || !(Date.parse(reset.until) > nowMs) || reset.clock === true) return undefined;
  return { ekSpkiSha256: reset.ekSpkiSha256 };
}

/**
 * Whether the identity holds this request to nothing: an operator opened it, and the request is a join. A renewal keeps
 * its pins.
 */
export function isOpened(
  { identity, nowMs }: { readonly identity: Seen<NodeIdentity>; readonly nowMs: number },
  { intent }: Pick<Statement, "intent">,
): boolean {
  return intent === "join" && identity.kind === "Present" && openReset(identity.value, nowMs) !== undefined;
}

/** Whether an operator said that the TPM's clock may go back. */
export function openClockReset({ spec }: NodeIdentity, nowMs: number): boolean {
  return spec.reset !== undefined && Date.parse(spec.reset.until) > nowMs;
}

type Present = Extract<EvidenceFacts["identity"], { kind: "Present" }>;

/** What the first exchange pinned stays. The endorsement key has a rule of its own, in the provider that shows one. */
export const identityKeepsItsPins: Rule<EvidenceFacts> = keepsItsPins({ showsKey: false });
/** The same, for a provider that shows an endorsement key. */
export const identityOfKeyKeepsItsPins: Rule<EvidenceFacts> = keepsItsPins({ showsKey: true });

function keepsItsPins({ showsKey }: { readonly showsKey: boolean }): Rule<EvidenceFacts> {
  return {
    id: "identity-keeps-its-pins",
    sentence: "the node's identity, where there is one, is not revoked and has this provider and provider ID",
    judge: withEvidence(({ envelope }, { identity, nowMs }) => {
      if (identity.kind === "NotRead") return notYet("IdentityNotRead", identity.why, RETRY_UNREAD_MS);
      if (identity.kind === "Absent") return pass("no identity yet");
      if (isRevoked(identity.value)) return refuse("IdentityRevoked", `the identity of ${envelope.node} was revoked`);
      const reset = envelope.intent === "join" ? openReset(identity.value, nowMs) : undefined;
      return !showsKey && isForOneTpm(identity, reset) ? forTpm(envelope) : judgePins(identity, reset, envelope);
    }),
  };
}

function forTpm({ node, protocol }: Envelope): Finding {
  return refuse("ProviderChanged", `${node} is for a TPM by an operator's word, not for ${protocol.provider}`);
}

function judgePins(identity: Present, reset: OpenReset | undefined, envelope: Envelope): Finding {
  if (reset !== undefined) return pass("opened by an operator");
  const { node, protocol, providerId } = envelope;
  const { provider } = protocol;
  const pins = pinsOf(identity);
  if (pins?.provider !== undefined && pins.provider !== provider)
    return refuse("ProviderChanged", `${node} was attested by ${pins.provider}, not by ${provider}`);
  const pinned = pins?.providerId ?? identity.value.spec.providerId;
  return pinned === undefined || pinned === providerId
    ? pass()
    : refuse("ProviderIdChanged", `${node} has another provider ID than at its first exchange`);
}

/** What every provider pins of a request that passed its rules. */
export function commonPins({ identity, machines, reading }: EvidenceFacts): NodeIdentityStatus {
  assert(reading.envelope.ok, "pins are planned after every rule passed");
  const { protocol, providerId } = reading.envelope.value.parsed;
  const machine = machines.kind === "Present" ? machines.value[0] : undefined;
  return {
    phase: "Active",
    provider: protocol.provider,
    protocolFloor: floorOf(pinsOf(identity)?.protocolFloor, protocol),
    providerId,
    ...(machine === undefined
      ? {}
      : { machine: { namespace: machine.namespace, name: machine.name, uid: machine.uid } }),
  };
}

/** The highest version that was ever used. */
function floorOf(pinned: string | undefined, protocol: Protocol): string {
  return pinned !== undefined && parseProtocol(pinned).version > protocol.version ? pinned : encodeProtocol(protocol);
}

/**
 * Until the first exchange an enrolment for one TPM counts, and a reset for one TPM while it is open: a machine that
 * shows none is refused.
 */
function isForOneTpm(identity: Present, reset: OpenReset | undefined): boolean {
  if (reset !== undefined) return reset.ekSpkiSha256 !== undefined;
  return identity.value.spec.tpm !== undefined && pinsOf(identity)?.provider === undefined;
}
