// How this machine proves itself: what was said, else what its join was told, else nothing, as a kubelet.

import { ATTESTED_CLIENT_SIGNER_PREFIX, KUBELET_CLIENT_SIGNER } from "../../../api/certificates/index.ts";
import {
  createInsecureProvider,
  createTpmProvider,
  type NodeAttestationProvider,
  parseRecipient,
} from "../../../attestation/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { Remembered } from "../../../node/index.ts";
import type { CommandOption, OptionValues } from "../../command.ts";
import { textOption } from "../../options.ts";

export const PROVIDER_OPTIONS: readonly CommandOption[] = [
  {
    flags: "--provider <name>",
    description:
      "how this machine proves itself: tpm, or insecure, which proves nothing (default: Kubernetes' own signer)",
  },
  {
    flags: "--tpm <address>",
    description: "with tpm: /dev/tpmrm0 (default), swtpm:path=SOCKET or swtpm:host=HOST,port=PORT",
  },
  {
    flags: "--provider-id <id>",
    description: "what the platform calls this machine, as its Machine's spec.providerID",
  },
  {
    flags: "--evidence-cluster <id>",
    description: "which cluster is meant, where clusters share a CA (default: the CA's pin)",
  },
  {
    flags: "--evidence-recipient <key>",
    description: "seal evidence to the controller: KEYID:POINT, as the bootstrap data has it",
  },
  { flags: "--signer-name <name>", description: "who shall sign (default: the provider's signer)" },
];

export interface ProviderChoice {
  readonly provider: NodeAttestationProvider;
  readonly signerName: string;
  readonly providerId: string | undefined;
  readonly clusterId: string | undefined;
  readonly recipient: ReturnType<typeof parseRecipient> | undefined;
  /** The provider's own flags, by name without dashes. */
  readonly providerFlags: Readonly<Record<string, string>>;
}

export function readProvider(options: OptionValues, remembered?: Remembered): ProviderChoice {
  const named = textOption(options, "provider");
  const known = named === undefined || named === remembered?.provider ? remembered : undefined;
  const signerName = textOption(options, "signerName") ?? known?.signerName ?? signerOf(named);
  const name = named ?? known?.provider ?? providerOf(signerName);
  const tpm = textOption(options, "tpm") ?? known?.flags["tpm"];
  const recipient = textOption(options, "evidenceRecipient") ?? known?.recipient;
  return {
    provider: createProvider(name, tpm),
    signerName,
    providerId: textOption(options, "providerId") ?? known?.providerId,
    clusterId: textOption(options, "evidenceCluster") ?? known?.clusterId,
    recipient: recipient === undefined ? undefined : parseRecipient(recipient),
    providerFlags: tpm === undefined ? {} : { tpm },
  };
}

function signerOf(provider: string | undefined): string {
  return provider === undefined ? KUBELET_CLIENT_SIGNER : `${ATTESTED_CLIENT_SIGNER_PREFIX}${provider}`;
}

/** Of one of our signers the provider follows; Kubernetes' own are asked without evidence. */
function providerOf(signerName: string): string {
  const isOurs = signerName.startsWith(ATTESTED_CLIENT_SIGNER_PREFIX);
  return isOurs ? signerName.slice(ATTESTED_CLIENT_SIGNER_PREFIX.length) : "insecure";
}

function createProvider(name: string, tpm: string | undefined): NodeAttestationProvider {
  if (name === "tpm") return createTpmProvider({ address: tpm });
  if (tpm !== undefined) throw new Fault("bad-config", "--tpm is for --provider tpm");
  if (name === "insecure") return createInsecureProvider();
  throw new Fault("bad-config", `provider ${JSON.stringify(name)} is not one of insecure, tpm`);
}
