// Rules about the evidence around the PKCS#10: its blocks, provider, envelope, cluster and version.

import { type Finding, pass, type Rule, refuse } from "../../kernel/outcome/index.ts";
import { findExtension } from "../../kernel/x509/index.ts";
import { bestCommon, encodeProtocol, OID_PROVIDER_ID, parseProtocol, parseProviderId } from "../evidence/index.ts";
import type { EvidenceFacts } from "./facts.ts";
import { pinsOf } from "./identity.ts";
import { attempt } from "./reading.ts";
import { signerParts } from "./request.ts";
import { type ReadEvidence, withEvidence, withReading } from "./with-evidence.ts";

/**
 * An API server parses the first block and ignores what surrounds it. Being strict, the controller reads what the API
 * server read, and nothing else.
 */
export const blocksAreStrict: Rule<EvidenceFacts> = {
  id: "blocks-are-strict",
  sentence: "the request is three PEM blocks in order, in their one spelling, and nothing else",
  judge: ({ reading }) => withReading(reading.blocks, () => pass()),
};

/** Judged from the second block, before the provider's own bytes are parsed. */
export const providerIsAuthorized: Rule<EvidenceFacts> = {
  id: "provider-is-authorized",
  sentence: "the provider has a verifier, the cluster lets it in, and the version is one we speak",
  judge: (facts) =>
    withReading(facts.reading.blocks, ({ protocol }) => {
      const fallback = { provider: signerParts(facts.object.signerName)?.provider ?? "", version: 0 };
      return judgeProtocol(facts, protocol ?? fallback);
    }),
};

function judgeProtocol(
  { cluster }: EvidenceFacts,
  protocol: { readonly provider: string; readonly version: number },
): Finding {
  const { provider } = protocol;
  const versions = cluster.supported.filter((supported) => supported.provider === provider);
  if (versions.length === 0) return refuse("ProviderUnknown", `no verifier has the name ${JSON.stringify(provider)}`);
  if (!cluster.authorizedProviders.includes(provider))
    return refuse("ProviderNotAuthorized", `provider ${provider} is not authorized for this cluster`);
  if (versions.some(({ version }) => version === protocol.version)) return pass(encodeProtocol(protocol));
  const known = versions.map(encodeProtocol).join(", ");
  return refuse("VersionUnsupported", `${encodeProtocol(protocol)} is not supported; supported: ${known}`);
}

export const envelopeIsReadable: Rule<EvidenceFacts> = {
  id: "envelope-is-readable",
  sentence:
    "the envelope opens, is canonical JSON, has exactly the fields of its version, and is sealed where that is required",
  judge: ({ reading, policy }) =>
    withReading(reading.envelope, ({ wasSealed }) =>
      policy.sealing === "Required" && !wasSealed
        ? refuse("EnvelopeNotSealed", "the policy takes sealed evidence only")
        : pass(wasSealed ? "sealed" : undefined),
    ),
};

export const envelopeAgreesWithRequest: Rule<EvidenceFacts> = {
  id: "envelope-agrees-with-request",
  sentence: "envelope, PKCS#10 and object agree on signer, purpose, provider and provider ID",
  judge: withEvidence((read, { object }) => {
    const problem = findMismatch(read, object.signerName);
    return problem === undefined ? pass() : refuse("EnvelopeMismatch", problem);
  }),
};

function findMismatch({ envelope, request }: ReadEvidence, signerName: string): string | undefined {
  if (envelope.signer !== signerName) return "the envelope names another signer than the request";
  const parts = signerParts(signerName);
  if (parts?.purpose !== envelope.purpose) return `the signer is not one for purpose ${envelope.purpose}`;
  if (parts.provider !== envelope.protocol.provider) return "the signer is not one of the provider in the second block";
  const extension = findExtension(request.extensions, OID_PROVIDER_ID);
  const inRequest = extension === undefined ? undefined : attempt("", () => parseProviderId(extension));
  const isSame = inRequest?.ok === true && inRequest.value === envelope.providerId;
  return isSame ? undefined : "the envelope has another provider ID than the request";
}

/**
 * The cluster comes from the machine's own bootstrap data, so evidence that was made for another cluster is refused
 * here, even when it is relayed.
 */
export const clusterIsOurs: Rule<EvidenceFacts> = {
  id: "cluster-is-ours",
  sentence: "the cluster that the machine means is this one",
  judge: withEvidence(({ envelope }, { cluster }) =>
    cluster.ids.includes(envelope.cluster)
      ? pass()
      : refuse("ClusterMismatch", `the evidence is for cluster ${envelope.cluster}, which is not this one`),
  ),
};

/**
 * A machine that was talked into an older version shows it: its list begins with a version that this controller speaks.
 */
export const versionIsTheBestCommon: Rule<EvidenceFacts> = {
  id: "version-is-the-best-common",
  sentence: "the version is the first of the offered ones that we speak, and not below the identity's",
  judge: withEvidence(({ envelope }, { cluster, identity }) => {
    const used = encodeProtocol(envelope.protocol);
    const best = bestCommon(envelope.offered, cluster.supported);
    if (best !== used)
      return refuse("Downgrade", `${used} is used where ${best ?? "another"} was offered and is spoken here`);
    const floor = pinsOf(identity)?.protocolFloor;
    if (floor !== undefined && parseProtocol(floor).version > envelope.protocol.version)
      return refuse("Downgrade", `${used} is below ${floor}, with which this node was attested`);
    return pass(used);
  }),
};
