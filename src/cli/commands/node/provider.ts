// How this machine attests: by the flags, else as at its join, else not at all, as a kubelet.

import { resolve } from "node:path";
import { ATTESTED_CLIENT_SIGNER_PREFIX, KUBELET_CLIENT_SIGNER } from "../../../api/certificates/index.ts";
import {
  createInsecureProvider,
  createSdkProvider,
  createTpmProvider,
  loadProvider,
  loadSettings,
  type NodeAttestationProvider,
  parseRecipient,
  providerPackageOf,
} from "../../../attestation/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { loadRemembered, type Remembered } from "../../../node/index.ts";
import type { KeySeal } from "../../../platform/pair/index.ts";
import { parseTpmAddress } from "../../../platform/tpm/index.ts";
import type { CommandOption, OptionValues } from "../../command.ts";
import { flagOption, textOption } from "../../options.ts";
import type { ThisNode } from "./this-node.ts";

/** The plugin's switch, and what the join remembers of it. */
const SEAL_KEY = "seal-key";

export const PROVIDER_OPTIONS: readonly CommandOption[] = [
  {
    flags: "--provider <name>",
    description:
      "how this machine proves itself: tpm; insecure, which proves nothing; or an installed provider package (default: Kubernetes' own signer)",
  },
  {
    flags: "--tpm <address>",
    description: "with tpm: /dev/tpmrm0 (default), swtpm:path=SOCKET or swtpm:host=HOST,port=PORT",
  },
  {
    flags: "--seal-key",
    description: "with tpm: keep the key sealed by it; the kubelet then calls the plugin and reads no file",
  },
  {
    flags: "--provider-settings <file>",
    description: "with a provider package: its settings, a JSON object",
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

interface ProviderChoice {
  readonly provider: NodeAttestationProvider;
  /** Where the provider is not one of the product's own. */
  readonly providerPackage: string | undefined;
  readonly signerName: string;
  readonly providerId: string | undefined;
  readonly evidenceCluster: string | undefined;
  readonly recipient: ReturnType<typeof parseRecipient> | undefined;
  /** Keys are kept sealed by the provider's TPM. Undefined: not set, neither now nor at the join. */
  readonly sealKeys: true | undefined;
  /** The provider's own flags at its plugin, by name without dashes; a switch has an empty value. */
  readonly providerFlags: Readonly<Record<string, string>>;
}

export async function readProvider(options: OptionValues, remembered?: Remembered): Promise<ProviderChoice> {
  const named = textOption(options, "provider");
  const isKnown = named === undefined || named === remembered?.provider || named === remembered?.package;
  const known = isKnown ? remembered : undefined;
  const signerName = textOption(options, "signerName") ?? known?.signerName;
  const word = named ?? known?.package ?? known?.provider ?? providerOf(signerName);
  const recipient = textOption(options, "evidenceRecipient") ?? known?.recipient;
  const { provider, ...loaded } = await openProvider(word, ownFlags(options, known));
  return {
    ...loaded,
    provider,
    signerName: signerName ?? signerOf(named === undefined ? undefined : provider.name),
    providerId: textOption(options, "providerId") ?? known?.providerId,
    evidenceCluster: textOption(options, "evidenceCluster") ?? known?.clusterId,
    recipient: recipient === undefined ? undefined : parseRecipient(recipient),
  };
}

function signerOf(provider: string | undefined): string {
  return provider === undefined ? KUBELET_CLIENT_SIGNER : `${ATTESTED_CLIENT_SIGNER_PREFIX}${provider}`;
}

/** Of one of our signers the provider follows; Kubernetes' own are asked without evidence. */
function providerOf(signerName = KUBELET_CLIENT_SIGNER): string {
  const isOurs = signerName.startsWith(ATTESTED_CLIENT_SIGNER_PREFIX);
  return isOurs ? signerName.slice(ATTESTED_CLIENT_SIGNER_PREFIX.length) : "insecure";
}

interface OwnFlags {
  /** With absolute paths, as the next: a kubelet starts the plugin somewhere else. */
  readonly tpm: string | undefined;
  readonly sealKeys: true | undefined;
  readonly settings: string | undefined;
}

function ownFlags(options: OptionValues, known: Remembered | undefined): OwnFlags {
  const settings = textOption(options, "providerSettings");
  const tpm = textOption(options, "tpm");
  return {
    tpm: tpm === undefined ? known?.flags["tpm"] : absoluteTpm(tpm),
    sealKeys: flagOption(options, "sealKey") || known?.flags[SEAL_KEY] !== undefined ? true : undefined,
    settings: settings === undefined ? known?.flags["settings"] : resolve(settings),
  };
}

/** A device is named absolutely anyway: no other spelling is taken. */
function absoluteTpm(text: string): string {
  const address = parseTpmAddress(text);
  const isSocket = address.kind === "swtpm" && "path" in address.socket;
  return isSocket ? `swtpm:path=${resolve(address.socket.path)}` : text;
}

type Opened = Pick<ProviderChoice, "provider" | "providerPackage" | "providerFlags" | "sealKeys">;

async function openProvider(word: string, { tpm, settings, sealKeys }: OwnFlags): Promise<Opened> {
  if (tpm !== undefined && word !== "tpm") throw new Fault("bad-config", "--tpm is for --provider tpm");
  if (sealKeys === true && word !== "tpm") {
    throw new Fault("bad-config", "--seal-key needs --provider tpm");
  }
  if (word !== "tpm" && word !== "insecure") return await openPackage(word, settings);
  if (settings !== undefined) throw new Fault("bad-config", "--provider-settings is for a provider package");
  const provider = word === "tpm" ? createTpmProvider({ address: tpm }) : createInsecureProvider();
  const providerFlags = { ...(tpm === undefined ? {} : { tpm }), ...(sealKeys === true ? { [SEAL_KEY]: "" } : {}) };
  return { provider, providerPackage: undefined, providerFlags, sealKeys };
}

async function openPackage(word: string, path: string | undefined): Promise<Opened> {
  const providerPackage = await providerPackageOf(word);
  const settings = await loadSettings(path);
  const provider = createSdkProvider(await loadProvider(providerPackage, { settings }));
  return {
    provider,
    providerPackage,
    providerFlags: path === undefined ? {} : { settings: path },
    sealKeys: undefined,
  };
}

/**
 * Opens sealed keys of this machine with the TPM that its join named, else the default one. The TPM is not used before
 * a key is opened.
 */
export async function readKeySeal({ places }: ThisNode): Promise<KeySeal | undefined> {
  return createTpmProvider({ address: await readAddress(places) }).keySeal;
}

async function readAddress({ attestationPath }: ThisNode["places"]): Promise<string | undefined> {
  try {
    return (await loadRemembered(attestationPath))?.flags["tpm"];
  } catch (failure) {
    if (isFault(failure, "io-failed")) return undefined; // not readable for this user: the doctor reports it
    throw failure;
  }
}
