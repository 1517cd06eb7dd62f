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
  "H1 another's signer": [() => object({ signerName: "example.com/other" }), "NoOpinion SignerNotServed"],
  "H1 decided already": [() => object({ isDecided: true }), "NoOpinion AlreadyDecided"],
  "H1 on its way out": [() => object({ isDeleting: true }), "NoOpinion BeingDeleted"],
  "H2 a finalizer": [() => object({ hasFinalizers: true }), "Deny MetadataNotAllowed"],
  "H2 an owner": [() => object({ hasOwnerReferences: true }), "Deny MetadataNotAllowed"],
  "H3 evidence of 1 MiB": [() => object({ request: new Uint8Array(1 << 20) }), "Deny RequestTooLarge"],
  "H4 a byte after the last block": [
    () => object({ request: Uint8Array.from([...exchange.hello.request, 10]) }),
    "Deny EnvelopeMalformed",
  ],
  "H5 a provider without verifier": [
    () => hello(exchange, { cluster: { ...hello(exchange).cluster, supported: [{ provider: "other", version: 1 }] } }),
    "Deny ProviderUnknown",
  ],
  "H5 a provider that the cluster does not let in": [
    () => hello(exchange, { cluster: { ...hello(exchange).cluster, authorizedProviders: ["other"] } }),
    "Deny ProviderNotAuthorized",
  ],
  "H5 a version that is not spoken": [
    () =>
      hello(anExchange({ tpm, protocol: { provider: "tpm", version: 2 }, statement: { offered: ["tpm/2", "tpm/1"] } })),
    "Deny VersionUnsupported",
  ],
  "H6 plain evidence where sealing is required": [
    () => hello(exchange, { policy: { sealing: "Required" } }),
    "Deny EnvelopeNotSealed",
  ],
  "H6 evidence sealed to a key that is not ours": [
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
  "H7 another name": [() => object({ name: exchange.proof.name }), "Deny NameNotBound"],
  "H8 usages of a client on a hello": [
    () => object({ usages: ["digital signature", "client auth"] }),
    "Deny RequestMalformed",
  ],
  "H9 a signer of another purpose": [
    () => hello(anExchange({ tpm, statement: { signer: SERVING_SIGNER } })),
    "Deny EnvelopeMismatch",
  ],
  "H9 another signer on the object": [() => object({ signerName: SERVING_SIGNER }), "Deny EnvelopeMismatch"],
  "H10 evidence for another cluster": [
    () => hello(anExchange({ tpm, statement: { cluster: "other" } })),
    "Deny ClusterMismatch",
  ],
  "H11 an older version than both speak": [
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
  "H11 a version below the identity's": [
    () => hello(exchange, { identity: present(anIdentity(tpm, { protocolFloor: "tpm/2" })) }),
    "Deny Downgrade",
  ],
  "H12 somebody without a bootstrap credential": [
    () => hello(anExchange({ tpm, requester: { username: "eve", groups: ["system:authenticated"] } })),
    "Deny RequesterNotAllowed",
  ],
  "H12 a node that joins with its certificate": [
    () => hello(anExchange({ tpm, requester: { ...aNodeUser(), groups: ["system:nodes", "system:bootstrappers"] } })),
    "Deny RequesterNotAllowed",
  ],
  "H12 a token that asks for a serving certificate": [
    () => hello(anExchange({ tpm, statement: { purpose: "serving", signer: SERVING_SIGNER } })),
    "Deny RequesterNotAllowed",
  ],
  "H12 a token, where the policy admits none": [
    () => hello(exchange, { refusesBootstrapTokens: true }),
    "Deny RequesterNotAllowed",
  ],
  "H12 a renewal by another node": [() => renewing(aNodeUser("worker-2")), "Deny RequesterNotAllowed"],
  "H12 a renewal with a certificate that we never issued": [
    () => renewing(aNodeUser(NODE, "dd".repeat(32))),
    "Deny CredentialUnknown",
  ],
  "H12 a renewal with a revoked certificate": [
    () => renewing(aNodeUser(), certificates(certificate(mine, { revoked: true }))),
    "Deny CredentialRevoked",
  ],
  "H12 a renewal of a node that an operator retired a moment ago": [
    () => renewing(aNodeUser(), { ...anIdentity(tpm), spec: { nodeName: NODE, retired: true } }),
    "Deny CredentialRevoked",
  ],
  "H12 a renewal with the certificate before the previous": [
    () => renewing(aNodeUser(), certificates(certificate(mine), certificate("aa"), certificate("bb"))),
    "Deny CredentialSuperseded",
  ],
  "H12 a renewal with the previous certificate, hours later, where the policy refuses it": [
    () => ({ ...late(), policy: { ...late().policy, previousCredential: "Refuse" } }),
    "Deny CredentialSuperseded",
  ],
  "H12 a serving certificate, where the policy leaves those to people": [
    () => ({ ...serving(), servingLeftBy: "fleet" }),
    "Wait ServingIsLeftToPeople",
  ],
  "H13 a revoked identity": [() => hello(exchange, { identity: present(revoked) }), "Deny IdentityRevoked"],
  "H13 a node that another provider attested": [
    () => hello(exchange, { identity: present(anIdentity(tpm, { provider: "aws" })) }),
    "Deny ProviderChanged",
  ],
  "H13 another provider ID": [
    () => hello(exchange, { identity: present(anIdentity(tpm, { providerId: "test:///other" })) }),
    "Deny ProviderIdChanged",
  ],
  "H13 another TPM": [() => hello(exchange, { identity: present(anIdentity(other)) }), "Deny EndorsementKeyChanged"],
  "H13 another TPM than the reset names": [
    () => hello(exchange, { identity: present(opened()) }),
    "Deny EndorsementKeyChanged",
  ],
  "H13 another TPM than the reset names, for a node that another provider attested": [
    () => hello(exchange, { identity: present({ ...opened(), status: { phase: "Active", provider: "aws" } }) }),
    "Deny EndorsementKeyChanged",
  ],
  "H13 another TPM than the reset names, for a name that was retired": [
    () => hello(exchange, { identity: present({ ...opened(), status: { phase: "Retired" } }) }),
    "Deny EndorsementKeyChanged",
  ],
  "H13 an identity that nobody could read": [() => hello(exchange, { identity: unread }), "Wait IdentityNotRead"],
  "H14 an attestation key passed off as endorsement key": [
    () =>
      hello(
        anExchange({
          tpm,
          body: { kind: "tpm-hello", ak: tpm.ak.raw, endorsement: { ek: tpm.ak.raw, ekChain: [] } },
        }),
      ),
    "Deny EndorsementKeyMalformed",
  ],
  "H14 an endorsement key that is no structure": [
    () =>
      hello(
        anExchange({
          tpm,
          body: { kind: "tpm-hello", ak: tpm.ak.raw, endorsement: { ek: Uint8Array.of(1), ekChain: [] } },
        }),
      ),
    "Deny EndorsementKeyMalformed",
  ],
  "H15 a key that is not restricted": [
    () => hello(withFields({ attributes: 0x00040072 })),
    "Deny AttestationKeyUnacceptable",
  ],
  "H15 a key that can be duplicated": [
    () => hello(withFields({ attributes: 0x00050072 & ~ATTRIBUTE.fixedTpm })),
    "Deny AttestationKeyUnacceptable",
  ],
  "H15 a key that decrypts": [
    () => hello(withFields({ attributes: 0x00050072 | ATTRIBUTE.decrypt })),
    "Deny AttestationKeyUnacceptable",
  ],
  "H15 a key with a policy of its own": [
    () => hello(withFields({ authPolicy: new Uint8Array(32) })),
    "Deny AttestationKeyUnacceptable",
  ],
  "H15 a key off its curve": [
    () => {
      const bad = tpm.ak.raw.map((octet, at) => (at === 60 ? octet ^ 1 : octet));
      return hello(
        anExchange({ tpm, body: { kind: "tpm-hello", ak: bad, endorsement: { ek: tpm.ek.raw, ekChain: [] } } }),
      );
    },
    "Deny AttestationKeyUnacceptable",
  ],
  "H16 a TPM that nobody vouches for": [() => hello(exchange, { policy: { tpm: {} } }), "Deny EndorsementKeyUntrusted"],
  "H16 a denied TPM": [() => hello(exchange, { deniedKeys: [tpmHash(tpm)] }), "Deny EndorsementKeyDenied"],
  "H16 a TPM of another live identity": [
    () => hello(exchange, { otherHolders: present([{ identity: "worker-9", nodeName: "worker-9" }]) }),
    "Deny EndorsementKeyInUse",
  ],
  "H16 sources that disagree": [
    () =>
      hello(exchange, {
        sources: [
          { name: "vcenter", statement: present(tpmHash(tpm)) },
          { name: "inventory", statement: present(tpmHash(other)) },
        ],
      }),
    "Deny EndorsementKeyConflict",
  ],
  "H16 a source that says another TPM, though ours is listed": [
    () => hello(exchange, { sources: [{ name: "vcenter", statement: present(tpmHash(other)) }] }),
    "Deny EndorsementKeyUntrusted",
  ],
  "H16 a source that cannot be asked, though ours is listed": [
    () => hello(exchange, { sources: [{ name: "vcenter", statement: unread }] }),
    "Wait EndorserUnavailable",
  ],
  "H17 no Machine yet": [() => hello(exchange, { machines: present([]) }), "Wait MachineNotReady"],
  "H17 two Machines": [() => hello(exchange, { machines: present([aMachine(), aMachine()]) }), "Deny MachineMismatch"],
  "H17 a Machine that is being deleted": [
    () => hello(exchange, { machines: present([aMachine({ isDeleting: true })]) }),
    "Deny MachineMismatch",
  ],
  "H17 a Machine without bootstrap data": [
    () => hello(exchange, { machines: present([aMachine({ isBootstrapReady: false })]) }),
    "Wait MachineNotReady",
  ],
  "H17 a Machine with another node": [
    () => hello(exchange, { machines: present([aMachine({ nodeName: "worker-2" })]) }),
    "Deny MachineMismatch",
  ],
  "H17 a Machine that was attested as another node": [
    () => hello(exchange, { machineHolders: present([{ node: "worker-2", isProven: true }]) }),
    "Deny MachineMismatch",
  ],
  "H17 a Machine of which nobody knows whether it is another node": [
    () => hello(exchange, { machineHolders: { kind: "NotRead", why: "not listed yet" } }),
    "Wait IdentityNotRead",
  ],
  "H17 a Machine of another namespace than it was attested in": [
    () => hello(exchange, { identity: present(anIdentity(tpm, { machine: anotherPlace })) }),
    "Deny MachineMismatch",
  ],
  "H17 a Machine of another name, with names": [
    () =>
      hello(exchange, {
        machines: present([aMachine({ name: "m", addresses: [{ type: "Hostname", address: "x" }] })]),
      }),
    "Deny MachineMismatch",
  ],
  "H17 a Machine of another name, without names yet": [
    () => hello(exchange, { machines: present([aMachine({ name: "m" })]) }),
    "Wait MachineAddressesMissing",
  ],
  "H17 a name that no template gives a member of a pool": [
    () => hello(exchange, { machines: present([aMachine({ name: "pool", isPoolMember: true })]) }),
    "Deny MachineMismatch",
  ],
  "H17 another Machine's token": [
    () => hello(exchange, { tokenMachine: present({ namespace: "default", name: "worker-2" }) }),
    "Deny BootstrapTokenForOtherMachine",
  ],
  "H17 a token of which nobody knows whose it is": [
    () => hello(exchange, { tokenMachine: unread }),
    "Wait TokenNotRead",
  ],
  "H17 another Machine's token for an enrolled node": [
    () =>
      hello(exchange, {
        machines: { kind: "Absent" },
        identity: present({ ...anIdentity(tpm), status: undefined as never }),
        tokenMachine: present({ namespace: "default", name: "worker-2" }),
      }),
    "Deny BootstrapTokenForOtherMachine",
  ],
  "H17 an enrolled node with a token of which nobody knows whose it is": [
    () =>
      hello(exchange, {
        machines: { kind: "Absent" },
        identity: present({ ...anIdentity(tpm), status: undefined as never }),
        tokenMachine: unread,
      }),
    "Wait TokenNotRead",
  ],
  "H17 an enrolled node that an operator retired": [
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
  "H17 neither Machines nor an operator's word": [
    () => hello(exchange, { machines: { kind: "Absent" } }),
    "Deny NodeNotEnrolled",
  ],
  "H18 the name of a registered node": [() => hello(exchange, { node: present({ uid: "n" }) }), "Deny NodeNameTaken"],
  "H18 nodes that nobody could read": [() => hello(exchange, { node: unread }), "Wait NodeNotRead"],
  "H19 too many of one requester": [
    () => hello(exchange, { limits: { ...hello(exchange).limits, openOfRequester: 32 } }),
    "Wait Throttled",
  ],
  "H19 too many of one requester and key": [
    () => hello(exchange, { limits: { ...hello(exchange).limits, openOfRequesterAndKey: 4 } }),
    "Wait Throttled",
  ],
  "H19 too many new nodes": [
    () => hello(exchange, { limits: { ...hello(exchange).limits, newIdentitiesInHour: 100 } }),
    "Wait JoinRateExceeded",
  ],
  "H20 a challenge that the creator wrote": [
    () => annotated(annotation.replace('"mac":"', '"mac":"AA')),
    "Deny AnnotationForged",
  ],
  "H20 another request's challenge": [
    () => annotated(anExchange({ tpm }).challenged.annotations[CHALLENGE_ANNOTATION] ?? ""),
    "Deny AnnotationForged",
  ],
  "H20 our own challenge, waiting": [() => annotated(annotation), "NoOpinion AlreadyChallenged"],
  "H20 our own challenge, over": [
    () => ({ ...annotated(annotation), nowMs: NOW_MS + 400_000 }),
    "NoOpinion ChallengeOver",
  ],
};
