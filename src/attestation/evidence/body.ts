// The provider's part of an envelope: exactly one of `tpm`, `insecure`, `instance` and `data`.

import { encodeBase64, encodeHex } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { CanonicalObject } from "./canonical.ts";
import { MAX_EK_CERTIFICATE_OCTETS, MAX_EK_CHAIN_CERTIFICATES } from "./limits.ts";
import { type ObjectReader, parseBytes, parseLowerHex } from "./schema.ts";

/** A first join shows the endorsement key; a renewal must not: the controller has it pinned. */
export interface TpmHello {
  readonly kind: "tpm-hello";
  /** TPMT_PUBLIC of the attestation key. */
  readonly ak: Uint8Array;
  readonly endorsement: { readonly ek: Uint8Array; readonly ekChain: readonly Uint8Array[] } | undefined;
}

export interface TpmProof {
  readonly kind: "tpm-proof";
  /** TPMS_ATTEST. */
  readonly attest: Uint8Array;
  /** TPMT_SIGNATURE. */
  readonly signature: Uint8Array;
  /** In the order of the challenge's selection; SHA-256 bank. */
  readonly pcrs: readonly Uint8Array[];
}

const DOCUMENT_FORMATS = ["pkcs7", "rsa-sha256", "jwt"] as const;

/** A platform's signed instance document, with the second proof that ties it to this request. */
interface InstanceBody {
  readonly kind: "instance";
  readonly document: Uint8Array;
  readonly signature: Uint8Array;
  readonly format: (typeof DOCUMENT_FORMATS)[number];
  readonly proof: CanonicalObject;
}

/** Any other provider's own object; its verifier checks it. */
interface InstalledBody {
  readonly kind: "installed";
  readonly value: CanonicalObject;
}

export type EvidenceBody = TpmHello | TpmProof | InstanceBody | InstalledBody | { readonly kind: "insecure" };

const BODY_KEYS = ["tpm", "insecure", "instance", "data"] as const;
const SHA256_OCTETS = 32;
const MAX_PCRS = 24;

interface BodyContext {
  readonly provider: string;
  readonly step: "hello" | "proof" | "single";
  readonly intent: "join" | "renew";
}

export function readBody(reader: ObjectReader, context: BodyContext): EvidenceBody {
  const present = BODY_KEYS.filter((key) => reader.has(key));
  const [key] = present;
  if (key === undefined || present.length > 1)
    throw new Fault("malformed", `envelope must have exactly one of ${BODY_KEYS.join(", ")}`);
  if (!isKeyOf(context.provider, key))
    throw new Fault("malformed", `envelope of provider ${context.provider} must not have the key ${key}`);
  const own = reader.object(key);
  switch (key) {
    case "tpm":
      return context.step === "hello" ? readTpmHello(own, context.intent) : readTpmProof(own);
    case "insecure":
      own.finish();
      return { kind: "insecure" };
    case "instance":
      return readInstance(own);
    case "data":
      return { kind: "installed", value: own.asObject() };
  }
}

/** `tpm` and `insecure` have keys of their own; every other provider has `instance` or `data`. */
function isKeyOf(provider: string, key: (typeof BODY_KEYS)[number]): boolean {
  if (provider === "tpm" || provider === "insecure") return key === provider;
  return key === "instance" || key === "data";
}

function readTpmHello(reader: ObjectReader, intent: "join" | "renew"): TpmHello {
  const ak = reader.bytes("ak");
  const endorsement = intent === "renew" ? undefined : readEndorsement(reader);
  reader.finish();
  return { kind: "tpm-hello", ak, endorsement };
}

function readEndorsement(reader: ObjectReader): { readonly ek: Uint8Array; readonly ekChain: readonly Uint8Array[] } {
  const ekChain = reader.list("ekChain", MAX_EK_CHAIN_CERTIFICATES).map((value) => {
    const certificate = parseBytes(value, "envelope.tpm.ekChain");
    if (certificate.length > MAX_EK_CERTIFICATE_OCTETS)
      throw new Fault("limit-exceeded", `EK certificate must have at most ${MAX_EK_CERTIFICATE_OCTETS} octets`);
    return certificate;
  });
  return { ek: reader.bytes("ek"), ekChain };
}

function readTpmProof(reader: ObjectReader): TpmProof {
  const pcrs = reader.list("pcrs", MAX_PCRS).map((value) => parseLowerHex(value, SHA256_OCTETS, "envelope.tpm.pcrs"));
  const proof = { attest: reader.bytes("attest"), signature: reader.bytes("signature"), pcrs };
  reader.finish();
  return { kind: "tpm-proof", ...proof };
}

function readInstance(reader: ObjectReader): InstanceBody {
  const body = {
    document: reader.bytes("document"),
    signature: reader.bytes("signature"),
    format: reader.oneOf("format", DOCUMENT_FORMATS),
    proof: reader.object("proof").asObject(),
  };
  reader.finish();
  return { kind: "instance", ...body };
}

export function encodeBody(body: EvidenceBody): CanonicalObject {
  switch (body.kind) {
    case "tpm-hello":
      return { tpm: { ak: encodeBase64(body.ak), ...encodeEndorsement(body.endorsement) } };
    case "tpm-proof": {
      const { attest, signature, pcrs } = body;
      return {
        tpm: { attest: encodeBase64(attest), signature: encodeBase64(signature), pcrs: pcrs.map(encodeHex) },
      };
    }
    case "insecure":
      return { insecure: {} };
    case "instance": {
      const { document, signature, format, proof } = body;
      return { instance: { document: encodeBase64(document), signature: encodeBase64(signature), format, proof } };
    }
    case "installed":
      return { data: body.value };
  }
}

function encodeEndorsement(endorsement: TpmHello["endorsement"]): CanonicalObject {
  if (endorsement === undefined) return {};
  return { ek: encodeBase64(endorsement.ek), ekChain: endorsement.ekChain.map(encodeBase64) };
}
