// Hellos of a TPM, each spoiled in one place, and what the rules say of it: kind and reason. For the tests of the
// rules, and for the list of all reasons that there are.

import { CHALLENGE_ANNOTATION } from "../../../src/attestation/evidence/index.ts";
import type { TpmHelloFacts } from "../../../src/attestation/tpm/facts.ts";
import { publicPointOf } from "../../../src/kernel/crypto/index.ts";
import type { Seen } from "../../../src/kernel/outcome/index.ts";
import { ATTRIBUTE } from "../../../src/kernel/tpm/index.ts";
import type { PublicAreaFields } from "../../../src/kernel/tpm/public-area.ts";
import {
  aMachine,
  aNodeUser,
  anExchange,
  anIdentity,
  type Exchange,
  helloFacts,
  NODE,
  NOW_MS,
  SERVING_SIGNER,
  tpmHash,
} from "../exchange.ts";
import { aSoftTpm } from "../soft-tpm.ts";

export const present = <T>(value: T): Seen<T> => ({ kind: "Present", value });
const unread = { kind: "NotRead", why: "the cache is not complete" } as const;

export const tpm = aSoftTpm();
export const exchange = anExchange({ tpm });
export const other = aSoftTpm();
const revoked = { ...anIdentity(tpm), spec: { nodeName: NODE, revoked: true } };
export const reset = (more: object = {}) => ({
  ...anIdentity(other),
  spec: { nodeName: NODE, reset: { until: new Date(NOW_MS + 60_000).toISOString(), ...more } },
});
const opened = () => reset({ ekSpkiSha256: "00".repeat(32) });
export const withFields = (fields: Partial<PublicAreaFields>) => anExchange({ tpm: aSoftTpm({ akFields: fields }) });
export const hello = (of: Exchange, overrides: Partial<TpmHelloFacts> = {}) => helloFacts(of, overrides);

/** Another than the one in which the Machine is. */
export const anotherPlace = { namespace: "other", name: NODE, uid: "another" };
export const serving = () =>
  hello(
    anExchange({
      tpm,
      statement: { intent: "renew", purpose: "serving", signer: SERVING_SIGNER },
      requester: aNodeUser(),
    }),
    { identity: present(anIdentity(tpm)) },
  );

const object = (changes: Partial<typeof exchange.hello>) =>
  hello(exchange, { object: { ...exchange.hello, ...changes } });
const annotated = (annotation: string, of: Exchange = exchange) =>
  hello(of, { object: { ...of.hello, annotations: { [CHALLENGE_ANNOTATION]: annotation } } });
const annotation = exchange.challenged.annotations[CHALLENGE_ANNOTATION] ?? "";
const renewing = (requester = aNodeUser(), identity = anIdentity(tpm)) =>
  hello(anExchange({ tpm, statement: { intent: "renew" }, requester }), { identity: present(identity) });
const certificate = (sha256: string, more: object = {}) =>
  ({ sha256, serialNumber: "1", notAfter: "2027-01-01T00:00:00Z", purpose: "Client", ...more }) as const;
const certificates = (...list: readonly ReturnType<typeof certificate>[]) => anIdentity(tpm, { certificates: list });
const mine = "c0".repeat(32);
const issuedAt = (ageMs: number) => ({ issuedAt: new Date(NOW_MS - ageMs).toISOString() });
export const late = (ageMs = 3_600_001) =>
  renewing(aNodeUser(), certificates(certificate(mine), certificate("aa", issuedAt(ageMs))));

export const HELLO_REFUSALS: Readonly<Record<string, [() => TpmHelloFacts, string]>> = {
  "another's signer": [() => object({ signerName: "example.com/other" }), "NoOpinion SignerNotServed"],
  "decided already": [() => object({ isDecided: true }), "NoOpinion AlreadyDecided"],
  "on its way out": [() => object({ isDeleting: true }), "NoOpinion BeingDeleted"],
  "a finalizer": [() => object({ hasFinalizers: true }), "Deny MetadataNotAllowed"],
  "an owner": [() => object({ hasOwnerReferences: true }), "Deny MetadataNotAllowed"],
  "evidence of 1 MiB": [() => object({ request: new Uint8Array(1 << 20) }), "Deny RequestTooLarge"],
  "a byte after the last block": [
    () => object({ request: Uint8Array.from([...exchange.hello.request, 10]) }),
    "Deny EnvelopeMalformed",
  ],
  "a provider without verifier": [
    () => hello(exchange, { cluster: { ...hello(exchange).cluster, supported: [{ provider: "other", version: 1 }] } }),
    "Deny ProviderUnknown",
  ],
  "a provider that the cluster does not let in": [
    () => hello(exchange, { cluster: { ...hello(exchange).cluster, authorizedProviders: ["other"] } }),
    "Deny ProviderNotAuthorized",
  ],
  "a version that is not spoken": [
    () =>
      hello(anExchange({ tpm, protocol: { provider: "tpm", version: 2 }, statement: { offered: ["tpm/2", "tpm/1"] } })),
    "Deny VersionUnsupported",
  ],
  "plain evidence where sealing is required": [
    () => hello(exchange, { policy: { sealing: "Required" } }),
    "Deny EnvelopeNotSealed",
  ],
  "evidence sealed to a key that is not ours": [
    () =>
      hello(
        anExchange({
          tpm,
          seal: {
            recipient: { id: new Uint8Array(8), point: publicPointOf("P-256", new Uint8Array(32).fill(5)) },
            ephemeralScalar: new Uint8Array(32).fill(6),
          },
        }),
      ),
    "Deny EnvelopeUnreadable",
  ],
  "another name": [() => object({ name: exchange.proof.name }), "Deny NameNotBound"],
  "usages of a client on a hello": [
    () => object({ usages: ["digital signature", "client auth"] }),
    "Deny RequestMalformed",
  ],
  "a signer of another purpose": [
    () => hello(anExchange({ tpm, statement: { signer: SERVING_SIGNER } })),
    "Deny EnvelopeMismatch",
  ],
  "another signer on the object": [() => object({ signerName: SERVING_SIGNER }), "Deny EnvelopeMismatch"],
  "evidence for another cluster": [
    () => hello(anExchange({ tpm, statement: { cluster: "other" } })),
    "Deny ClusterMismatch",
  ],
  "an older version than both speak": [
    () =>
      hello(anExchange({ tpm, statement: { offered: ["tpm/2", "tpm/1"] } }), {
        cluster: {
          ...hello(exchange).cluster,
          supported: [
            { provider: "tpm", version: 1 },
            { provider: "tpm", version: 2 },
          ],
        },
      }),
    "Deny Downgrade",
  ],
  "a version below the identity's": [
    () => hello(exchange, { identity: present(anIdentity(tpm, { protocolFloor: "tpm/2" })) }),
    "Deny Downgrade",
  ],
  "somebody without a bootstrap credential": [
    () => hello(anExchange({ tpm, requester: { username: "eve", groups: ["system:authenticated"] } })),
    "Deny RequesterNotAllowed",
  ],
  "a node that joins with its certificate": [
    () => hello(anExchange({ tpm, requester: { ...aNodeUser(), groups: ["system:nodes", "system:bootstrappers"] } })),
    "Deny RequesterNotAllowed",
  ],
  "a token that asks for a serving certificate": [
    () => hello(anExchange({ tpm, statement: { purpose: "serving", signer: SERVING_SIGNER } })),
    "Deny RequesterNotAllowed",
  ],
  "a token, where the policy admits none": [
    () => hello(exchange, { refusesBootstrapTokens: true }),
    "Deny RequesterNotAllowed",
  ],
  "a renewal by another node": [() => renewing(aNodeUser("worker-2")), "Deny RequesterNotAllowed"],
  "a renewal with a certificate that we never issued": [
    () => renewing(aNodeUser(NODE, "dd".repeat(32))),
    "Deny CredentialUnknown",
  ],
  "a renewal with a revoked certificate": [
    () => renewing(aNodeUser(), certificates(certificate(mine, { revoked: true }))),
    "Deny CredentialRevoked",
  ],
  "a renewal of a node that an operator retired a moment ago": [
    () => renewing(aNodeUser(), { ...anIdentity(tpm), spec: { nodeName: NODE, retired: true } }),
    "Deny CredentialRevoked",
  ],
  "a renewal with the certificate before the previous": [
    () => renewing(aNodeUser(), certificates(certificate(mine), certificate("aa"), certificate("bb"))),
    "Deny CredentialSuperseded",
  ],
  "a renewal with the previous certificate, hours later, where the policy refuses it": [
    () => ({ ...late(), policy: { ...late().policy, previousCredential: "Refuse" } }),
    "Deny CredentialSuperseded",
  ],
  "a serving certificate, where the policy leaves those to people": [
    () => ({ ...serving(), servingLeftBy: "fleet" }),
    "Wait ServingIsLeftToPeople",
  ],
  "a revoked identity": [() => hello(exchange, { identity: present(revoked) }), "Deny IdentityRevoked"],
  "a node that another provider attested": [
    () => hello(exchange, { identity: present(anIdentity(tpm, { provider: "aws" })) }),
    "Deny ProviderChanged",
  ],
  "another provider ID": [
    () => hello(exchange, { identity: present(anIdentity(tpm, { providerId: "test:///other" })) }),
    "Deny ProviderIdChanged",
  ],
  "another TPM": [() => hello(exchange, { identity: present(anIdentity(other)) }), "Deny EndorsementKeyChanged"],
  "another TPM than the reset names": [
    () => hello(exchange, { identity: present(opened()) }),
    "Deny EndorsementKeyChanged",
  ],
  "another TPM than the reset names, for a node that another provider attested": [
    () => hello(exchange, { identity: present({ ...opened(), status: { phase: "Active", provider: "aws" } }) }),
    "Deny EndorsementKeyChanged",
  ],
  "another TPM than the reset names, for a name that was retired": [
    () => hello(exchange, { identity: present({ ...opened(), status: { phase: "Retired" } }) }),
    "Deny EndorsementKeyChanged",
  ],
  "an identity that nobody could read": [() => hello(exchange, { identity: unread }), "Wait IdentityNotRead"],
  "an attestation key passed off as endorsement key": [
    () =>
      hello(
        anExchange({
          tpm,
          body: { kind: "tpm-hello", ak: tpm.ak.raw, endorsement: { ek: tpm.ak.raw, ekChain: [] } },
        }),
      ),
    "Deny EndorsementKeyMalformed",
  ],
  "an endorsement key that is no structure": [
    () =>
      hello(
        anExchange({
          tpm,
          body: { kind: "tpm-hello", ak: tpm.ak.raw, endorsement: { ek: Uint8Array.of(1), ekChain: [] } },
        }),
      ),
    "Deny EndorsementKeyMalformed",
  ],
  "a key that is not restricted": [
    () => hello(withFields({ attributes: 0x00040072 })),
    "Deny AttestationKeyUnacceptable",
  ],
  "a key that can be duplicated": [
    () => hello(withFields({ attributes: 0x00050072 & ~ATTRIBUTE.fixedTpm })),
    "Deny AttestationKeyUnacceptable",
  ],
  "a key that decrypts": [
    () => hello(withFields({ attributes: 0x00050072 | ATTRIBUTE.decrypt })),
    "Deny AttestationKeyUnacceptable",
  ],
  "a key with a policy of its own": [
    () => hello(withFields({ authPolicy: new Uint8Array(32) })),
    "Deny AttestationKeyUnacceptable",
  ],
  "a key off its curve": [
    () => {
      const bad = tpm.ak.raw.map((octet, at) => (at === 60 ? octet ^ 1 : octet));
      return hello(
        anExchange({ tpm, body: { kind: "tpm-hello", ak: bad, endorsement: { ek: tpm.ek.raw, ekChain: [] } } }),
      );
    },
    "Deny AttestationKeyUnacceptable",
  ],
  "a TPM that nobody vouches for": [() => hello(exchange, { policy: { tpm: {} } }), "Deny EndorsementKeyUntrusted"],
  "a denied TPM": [() => hello(exchange, { deniedKeys: [tpmHash(tpm)] }), "Deny EndorsementKeyDenied"],
  "a TPM of another live identity": [
    () => hello(exchange, { otherHolders: present([{ identity: "worker-9", nodeName: "worker-9" }]) }),
    "Deny EndorsementKeyInUse",
  ],
  "sources that disagree": [
    () =>
      hello(exchange, {
        sources: [
          { name: "vcenter", statement: present(tpmHash(tpm)) },
          { name: "inventory", statement: present(tpmHash(other)) },
        ],
      }),
    "Deny EndorsementKeyConflict",
  ],
  "a source that says another TPM, though ours is listed": [
    () => hello(exchange, { sources: [{ name: "vcenter", statement: present(tpmHash(other)) }] }),
    "Deny EndorsementKeyUntrusted",
  ],
  "a source that cannot be asked, though ours is listed": [
    () => hello(exchange, { sources: [{ name: "vcenter", statement: unread }] }),
    "Wait EndorserUnavailable",
  ],
  "no Machine yet": [() => hello(exchange, { machines: present([]) }), "Wait MachineNotReady"],
  "two Machines": [() => hello(exchange, { machines: present([aMachine(), aMachine()]) }), "Deny MachineMismatch"],
  "a Machine that is being deleted": [
    () => hello(exchange, { machines: present([aMachine({ isDeleting: true })]) }),
    "Deny MachineMismatch",
  ],
  "a Machine without bootstrap data": [
    () => hello(exchange, { machines: present([aMachine({ isBootstrapReady: false })]) }),
    "Wait MachineNotReady",
  ],
  "a Machine with another node": [
    () => hello(exchange, { machines: present([aMachine({ nodeName: "worker-2" })]) }),
    "Deny MachineMismatch",
  ],
  "a Machine that was attested as another node": [
    () => hello(exchange, { machineHolders: present([{ node: "worker-2", isProven: true }]) }),
    "Deny MachineMismatch",
  ],
  "a Machine of which nobody knows whether it is another node": [
    () => hello(exchange, { machineHolders: { kind: "NotRead", why: "not listed yet" } }),
    "Wait IdentityNotRead",
  ],
  "a Machine of another namespace than it was attested in": [
    () => hello(exchange, { identity: present(anIdentity(tpm, { machine: anotherPlace })) }),
    "Deny MachineMismatch",
  ],
  "a Machine of another name, with names": [
    () =>
      hello(exchange, {
        machines: present([aMachine({ name: "m", addresses: [{ type: "Hostname", address: "x" }] })]),
      }),
    "Deny MachineMismatch",
  ],
  "a Machine of another name, without names yet": [
    () => hello(exchange, { machines: present([aMachine({ name: "m" })]) }),
    "Wait MachineAddressesMissing",
  ],
  "a name that no template gives a member of a pool": [
    () => hello(exchange, { machines: present([aMachine({ name: "pool", isPoolMember: true })]) }),
    "Deny MachineMismatch",
  ],
  "another Machine's token": [
    () => hello(exchange, { tokenMachine: present({ namespace: "default", name: "worker-2" }) }),
    "Deny BootstrapTokenForOtherMachine",
  ],
  "a token of which nobody knows whose it is": [() => hello(exchange, { tokenMachine: unread }), "Wait TokenNotRead"],
  "another Machine's token for an enrolled node": [
    () =>
      hello(exchange, {
        machines: { kind: "Absent" },
        identity: present({ ...anIdentity(tpm), status: undefined as never }),
        tokenMachine: present({ namespace: "default", name: "worker-2" }),
      }),
    "Deny BootstrapTokenForOtherMachine",
  ],
  "an enrolled node with a token of which nobody knows whose it is": [
    () =>
      hello(exchange, {
        machines: { kind: "Absent" },
        identity: present({ ...anIdentity(tpm), status: undefined as never }),
        tokenMachine: unread,
      }),
    "Wait TokenNotRead",
  ],
  "an enrolled node that an operator retired": [
    () =>
      hello(exchange, {
        machines: { kind: "Absent" },
        identity: present({
          ...anIdentity(tpm, { phase: "Retired" }),
          spec: { nodeName: NODE, retired: true },
        }),
      }),
    "Deny NodeNotEnrolled",
  ],
  "neither Machines nor an operator's word": [
    () => hello(exchange, { machines: { kind: "Absent" } }),
    "Deny NodeNotEnrolled",
  ],
  "the name of a registered node": [() => hello(exchange, { node: present({ uid: "n" }) }), "Deny NodeNameTaken"],
  "nodes that nobody could read": [() => hello(exchange, { node: unread }), "Wait NodeNotRead"],
  "too many of one requester": [
    () => hello(exchange, { limits: { ...hello(exchange).limits, openOfRequester: 32 } }),
    "Wait Throttled",
  ],
  "too many of one requester and key": [
    () => hello(exchange, { limits: { ...hello(exchange).limits, openOfRequesterAndKey: 4 } }),
    "Wait Throttled",
  ],
  "too many new nodes": [
    () => hello(exchange, { limits: { ...hello(exchange).limits, newIdentitiesInHour: 100 } }),
    "Wait JoinRateExceeded",
  ],
  "a challenge that the creator wrote": [
    () => annotated(annotation.replace('"mac":"', '"mac":"AA')),
    "Deny AnnotationForged",
  ],
  "another request's challenge": [
    () => annotated(anExchange({ tpm }).challenged.annotations[CHALLENGE_ANNOTATION] ?? ""),
    "Deny AnnotationForged",
  ],
  "our own challenge, waiting": [() => annotated(annotation), "NoOpinion AlreadyChallenged"],
  "our own challenge, over": [() => ({ ...annotated(annotation), nowMs: NOW_MS + 400_000 }), "NoOpinion ChallengeOver"],
};
