// The node name and attestation settings of a join, for the commands that resume or renew later. No secrets.

import { isFault } from "../../kernel/outcome/index.ts";
import { atomicWriteFile, loadText } from "../../platform/files/index.ts";

export interface Remembered {
  /** Not there in what earlier versions wrote. */
  readonly nodeName?: string | undefined;
  readonly provider: string;
  /** It came from this package, where it is not one of the product's own. */
  readonly package?: string | undefined;
  readonly signerName: string;
  readonly providerId?: string | undefined;
  /** The evidence cluster, under the name that earlier versions wrote. */
  readonly clusterId?: string | undefined;
  readonly recipient?: string | undefined;
  /** The provider's own flags, by name without dashes. */
  readonly flags: Readonly<Record<string, string>>;
}

export async function saveRemembered(path: string, remembered: Remembered): Promise<void> {
  await atomicWriteFile(path, `${JSON.stringify(remembered, undefined, 2)}\n`, { mode: 0o600 });
}

/** Undefined where no join has left one, or none that can be read. */
export async function loadRemembered(path: string): Promise<Remembered | undefined> {
  try {
    return parseRemembered(JSON.parse(await loadText(path)));
  } catch (error) {
    if (isFault(error, "not-found") || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function parseRemembered(value: unknown): Remembered | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { flags, ...rest } = value as Partial<Record<keyof Remembered, unknown>>;
  const { nodeName, provider, signerName, providerId, clusterId, recipient, package: packageName } = rest;
  if (typeof provider !== "string" || typeof signerName !== "string") return undefined;
  return {
    provider,
    signerName,
    ...(typeof nodeName === "string" ? { nodeName } : {}),
    ...(typeof packageName === "string" ? { package: packageName } : {}),
    ...(typeof providerId === "string" ? { providerId } : {}),
    ...(typeof clusterId === "string" ? { clusterId } : {}),
    ...(typeof recipient === "string" ? { recipient } : {}),
    flags: typeof flags === "object" && flags !== null ? textsOf(flags) : {},
  };
}

function textsOf(value: object): Readonly<Record<string, string>> {
  const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(texts);
}
