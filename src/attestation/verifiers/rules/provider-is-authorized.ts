// H5. Judged from the second block, before the provider's own bytes are parsed.
import { type Finding, pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import { encodeProtocol } from "../../evidence/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { signerParts } from "../signer.ts";
import { withReading } from "../with-evidence.ts";

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
  const isAuthorized = cluster.authorizedProviders?.includes(provider) ?? provider !== "insecure";
  if (!isAuthorized) return refuse("ProviderNotAuthorized", `provider ${provider} is not authorized for this cluster`);
  if (versions.some(({ version }) => version === protocol.version)) return pass(encodeProtocol(protocol));
  const known = versions.map(encodeProtocol).join(", ");
  return refuse("VersionUnsupported", `${encodeProtocol(protocol)} is not supported; supported: ${known}`);
}
