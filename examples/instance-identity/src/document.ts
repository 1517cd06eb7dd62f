// The instance document, which the platform signs for every instance: its id and its owner. Any process that ever read
// it can replay it, so it identifies an instance and proves nothing else.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { JsonObject } from "@countersign/sdk";

export interface InstanceDocument {
  readonly accountId: string;
  readonly instanceId: string;
  readonly region: string;
}

/** The platform's public keys by their id, as the operator pinned them. */
export type PlatformKeys = ReadonlyMap<string, KeyObject>;

/** `{ "<key id>": "-----BEGIN PUBLIC KEY-----…" }` */
export function parsePlatformKeys(text: string): PlatformKeys {
  const keys = JSON.parse(text) as JsonObject;
  return new Map(Object.entries(keys).map(([id, pem]) => [id, parsePlatformKey(id, String(pem))]));
}

function parsePlatformKey(id: string, pem: string): KeyObject {
  const key = createPublicKey(pem);
  if (key.asymmetricKeyType !== "rsa") throw new TypeError(`the platform's key ${id} must be an RSA key`);
  return key;
}

const WORD = /^[A-Za-z0-9][A-Za-z0-9-]{0,127}$/;

/** The fields of a document that one of the platform's keys signed; undefined where none did. */
export function readDocument(
  document: Uint8Array,
  signature: Uint8Array,
  keys: PlatformKeys,
): InstanceDocument | undefined {
  const isSigned = [...keys.values()].some((key) => verify("sha256", document, key, signature));
  return isSigned ? readWords(document) : undefined;
}

/** The fields of a document without a check of its signature; undefined where one is missing or malformed. */
export function readWords(document: Uint8Array): InstanceDocument | undefined {
  const { accountId, instanceId, region } = parseJson(document) ?? {};
  return isWord(accountId) && isWord(instanceId) && isWord(region) ? { accountId, instanceId, region } : undefined;
}

export function parseJson(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch (failure) {
    if (failure instanceof SyntaxError) return undefined;
    throw failure;
  }
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && WORD.test(value);
}

export function providerIdOf({ region, instanceId }: Pick<InstanceDocument, "region" | "instanceId">): string {
  return `instance-identity:///${region}/${instanceId}`;
}
