// The exchange on disk: one file, 0600, replaced in one step, always saved before anything is sent ("States of the
// machine" in docs/protocols/attestation.md). It holds the key that the certificate will be for, and never the opened
// secret of a challenge.

import { encodeBase64, parseBase64 } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { atomicWriteFile, type FileSystem, nodeFileSystem } from "../../platform/files/index.ts";
import type { FinishedRequest } from "../evidence/index.ts";
import type { ExchangeStage } from "./plan.ts";

export interface SavedRequest extends FinishedRequest {
  /** Present once the API server has it. */
  readonly uid?: string | undefined;
}

export interface SavedExchange {
  /** PEM of the key, or of the key as the TPM sealed it (key-at-rest.ts). */
  readonly key: string;
  readonly protocol: string;
  /** A digest of what is asked for: an exchange about something else is not gone on with. */
  readonly about: string;
  /** Absent in a renewal by beacon, whose one request is its proof. */
  readonly hello?: SavedRequest | undefined;
  readonly proof?: SavedRequest | undefined;
  readonly hasBegunAgain?: boolean | undefined;
}

export function stageOf(exchange: SavedExchange | undefined): ExchangeStage {
  if (exchange === undefined) return "nothing";
  if (exchange.proof !== undefined) return exchange.proof.uid === undefined ? "proof-saved" : "proof-sent";
  return exchange.hello?.uid === undefined ? "hello-saved" : "hello-sent";
}

/** 0600: it has a private key. */
const MODE = 0o600;
/** Two requests of 64 KiB in base64, and a key. */
const MAX_FILE_OCTETS = 512 * 1024;

export async function saveExchange(path: string, exchange: SavedExchange, fileSystem?: FileSystem): Promise<void> {
  const { hello, proof, ...rest } = exchange;
  const content = {
    ...rest,
    ...(hello === undefined ? {} : { hello: encodeSaved(hello) }),
    ...(proof === undefined ? {} : { proof: encodeSaved(proof) }),
  };
  await atomicWriteFile(path, `${JSON.stringify(content)}\n`, { mode: MODE, fileSystem });
}

/** Undefined where there is none, and where what is there is not whole: then the exchange begins anew. */
export async function loadExchange(
  path: string,
  fileSystem: FileSystem = nodeFileSystem,
): Promise<SavedExchange | undefined> {
  try {
    const bytes = await fileSystem.read(path);
    if (bytes.length > MAX_FILE_OCTETS) throw new Fault("limit-exceeded", `${path} is larger than an exchange can be`);
    return parseExchange(bytes.toString("utf8"));
  } catch (failure) {
    if (isFault(failure, "not-found") || isFault(failure, "malformed") || isFault(failure, "limit-exceeded"))
      return undefined;
    throw failure;
  }
}

export async function dropExchange(path: string, fileSystem: FileSystem = nodeFileSystem): Promise<void> {
  try {
    await fileSystem.remove(path);
  } catch (failure) {
    if (!isFault(failure, "not-found")) throw failure;
  }
}

function encodeSaved({ request, ...rest }: SavedRequest) {
  return { ...rest, request: encodeBase64(request) };
}

function parseExchange(text: string): SavedExchange {
  const value = parseObject(text);
  const { key, protocol, about, hello, proof, hasBegunAgain } = value;
  if (typeof key !== "string" || typeof protocol !== "string" || typeof about !== "string") throw notWhole();
  if (hello === undefined && proof === undefined) throw notWhole();
  return {
    key,
    protocol,
    about,
    ...(hello === undefined ? {} : { hello: parseSaved(hello) }),
    ...(proof === undefined ? {} : { proof: parseSaved(proof) }),
    ...(hasBegunAgain === true ? { hasBegunAgain } : {}),
  };
}

function parseSaved(value: unknown): SavedRequest {
  if (typeof value !== "object" || value === null) throw notWhole();
  const { name, signerName, usages, request, uid } = value as Partial<Record<keyof SavedRequest, unknown>>;
  const isWhole = typeof name === "string" && typeof signerName === "string" && typeof request === "string";
  if (!isWhole || !Array.isArray(usages)) throw notWhole();
  const texts = usages.map(String);
  return {
    name,
    signerName,
    usages: texts,
    request: parseBase64(request),
    ...(typeof uid === "string" ? { uid } : {}),
  };
}

function parseObject(
  text: string,
): Readonly<Record<string, unknown>> &
  Partial<Record<"key" | "protocol" | "about" | "hello" | "proof" | "hasBegunAgain", unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new Fault("malformed", "saved exchange must be JSON", { cause });
  }
  throw notWhole();
}

function notWhole(): Fault {
  return new Fault("malformed", "saved exchange is not whole");
}
