// The envelope: what a machine states about its request, and the provider's own part of it.

import { isNodeName } from "../../api/certificates/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { type EvidenceBody, encodeBody, readBody } from "./body.ts";
import { type CanonicalObject, type CanonicalValue, encodeCanonical, parseCanonical } from "./canonical.ts";
import { MAX_CLUSTER_CHARACTERS, MAX_OFFERED } from "./limits.ts";
import { encodeProtocol, type Protocol, parseProtocol } from "./protocol.ts";
import { isProviderId } from "./provider-id.ts";
import { ObjectReader } from "./schema.ts";

const STEPS = ["hello", "proof", "single"] as const;
const INTENTS = ["join", "renew"] as const;
const PURPOSES = ["client", "serving"] as const;
export type Step = (typeof STEPS)[number];
type Intent = (typeof INTENTS)[number];
export type Purpose = (typeof PURPOSES)[number];

/** What request, proof and transcript must agree on. */
export interface Statement {
  readonly intent: Intent;
  readonly purpose: Purpose;
  readonly signer: string;
  readonly node: string;
  readonly providerId: string;
  /** Which cluster the machine believes to talk to, from its own bootstrap data. */
  readonly cluster: string;
  /** Protocols the machine speaks, best first. */
  readonly offered: readonly string[];
}

export interface Envelope extends Statement {
  readonly step: Step;
  readonly protocol: Protocol;
  /** In a proof: the request that was challenged. */
  readonly hello: { readonly name: string; readonly uid: string } | undefined;
  /** In a TPM's single: the beacon it answers. */
  readonly beacon: { readonly epoch: number; readonly kid: string } | undefined;
  readonly body: EvidenceBody;
}

const SIGNER = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[a-zA-Z0-9]([-a-zA-Z0-9._]*[a-zA-Z0-9])?$/;
const CLUSTER = new RegExp(`^[\\x21-\\x7e]{1,${MAX_CLUSTER_CHARACTERS}}$`);
const OBJECT_NAME = /^[a-z0-9][-a-z0-9.]{0,252}$/;
const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const KEY_ID = /^[0-9a-f]{8}$/;

/** Whether an envelope can name a cluster so. */
export function isEvidenceCluster(text: string): boolean {
  return CLUSTER.test(text);
}

export function parseEnvelope(bytes: Uint8Array, protocol: Protocol): Envelope {
  const reader = new ObjectReader(parseCanonical(bytes), "envelope");
  const step = reader.oneOf("step", STEPS);
  const statement = readStatement(reader, protocol);
  const hello = step === "proof" ? readHello(reader.object("hello")) : undefined;
  const hasBeacon = step === "single" && protocol.provider === "tpm";
  const beacon = hasBeacon ? readBeacon(reader.object("beacon")) : undefined;
  const body = readBody(reader, { provider: protocol.provider, step, intent: statement.intent });
  reader.finish();
  return { step, protocol, ...statement, hello, beacon, body };
}

function readStatement(reader: ObjectReader, protocol: Protocol): Statement {
  const node = reader.text("node", /^.{1,253}$/);
  if (!isNodeName(node)) throw reader.fault("node", "must be the name of a node");
  const providerId = reader.text("providerId", /^.+$/);
  if (!isProviderId(providerId)) throw reader.fault("providerId", "must be printable ASCII of 1 to 512 characters");
  return {
    intent: reader.oneOf("intent", INTENTS),
    purpose: reader.oneOf("purpose", PURPOSES),
    signer: reader.text("signer", SIGNER),
    node,
    providerId,
    cluster: reader.text("cluster", CLUSTER),
    offered: readOffered(reader.list("offered", MAX_OFFERED), protocol),
  };
}

function readOffered(values: readonly CanonicalValue[], used: Protocol): readonly string[] {
  const texts = values.map((value) => {
    const offered = parseProtocol(String(value));
    if (typeof value !== "string" || offered.provider !== used.provider)
      throw new Fault("malformed", "envelope.offered must list protocols of the provider in use");
    return value;
  });
  if (!texts.includes(encodeProtocol(used)) || new Set(texts).size !== texts.length)
    throw new Fault("malformed", "envelope.offered must list the protocol in use, and each one once");
  return texts;
}

function readHello(reader: ObjectReader): { readonly name: string; readonly uid: string } {
  const hello = { name: reader.text("name", OBJECT_NAME), uid: reader.text("uid", UID) };
  reader.finish();
  return hello;
}

function readBeacon(reader: ObjectReader): { readonly epoch: number; readonly kid: string } {
  const beacon = { epoch: reader.integer("epoch"), kid: reader.text("kid", KEY_ID) };
  reader.finish();
  return beacon;
}

export function encodeEnvelope(envelope: Envelope): Uint8Array {
  const { step, hello, beacon, body } = envelope;
  const members: CanonicalObject = {
    step,
    ...statementObject(envelope),
    ...(hello === undefined ? {} : { hello: { name: hello.name, uid: hello.uid } }),
    ...(beacon === undefined ? {} : { beacon: { epoch: beacon.epoch, kid: beacon.kid } }),
    ...encodeBody(body),
  };
  return encodeCanonical(members);
}

/** The claims as they stand in an envelope and in a transcript. */
export function statementObject({
  intent,
  purpose,
  signer,
  node,
  providerId,
  cluster,
  offered,
}: Statement): CanonicalObject {
  return { intent, purpose, signer, node, providerId, cluster, offered: [...offered] };
}
