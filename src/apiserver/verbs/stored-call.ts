// A call about a stored kind, with everything its verb needs in one place.

import type { Authorizer } from "../../api/access/index.ts";
import type { KubeObject, Resource, Status } from "../../api/meta/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { Authenticator } from "../authentication/authenticator.ts";
import type { TokenIssuer } from "../authentication/service-account/issuer.ts";
import type { RbacObjects } from "../authorization/rbac.ts";
import type { AdmissionRefusal, Answer, Attempt, Call, Operation } from "../call.ts";
import type { RandomSource } from "../random.ts";
import { notSupported } from "../resources/field-error.ts";
import type { Registry } from "../resources/registry.ts";
import type { CreateSubresource, Strategy, Subresource, UpdateRules, WriteFacts } from "../resources/strategy.ts";
import { forbidden, invalidObject, notFound } from "../status/status.ts";
import { keyOf, prefixOf } from "../storage/key.ts";
import type { Storage } from "../storage/storage.ts";
import { facedStorage } from "./faced-storage.ts";

/** Writers of one object wait for one another (lost-races.ts). */
export interface Turns {
  /** Is a writer of this key waiting or writing in turn? */
  isTaken(key: string): boolean;
  take<T>(key: string, write: () => Promise<T>): Promise<T>;
}

/** What the verbs use beside the call itself. */
export interface VerbParts extends RandomSource {
  readonly storage: Storage;
  /** The kinds that are served now. */
  readonly registry: Registry;
  readonly clock: Clock;
  readonly turns: Turns;
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  readonly rbac: RbacObjects;
  readonly tokens: TokenIssuer;
  /** Health, metrics, keys: the documents about this server itself. Undefined for other paths. */
  readonly ownDocument: (call: Call) => Answer | undefined;
}

export interface StoredCall {
  readonly call: Call;
  readonly parts: VerbParts;
  readonly strategy: Strategy;
  readonly subresource: Subresource | undefined;
  readonly resource: Resource;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
}

export function storedCall(call: Call, parts: VerbParts): StoredCall | undefined {
  if (call.endpoint?.kind !== "stored") return undefined;
  const { strategy, subresource } = call.endpoint;
  const { face, resource } = strategy;
  const namespace = resource.namespaced ? call.info.namespace : "";
  const seen = face === undefined ? parts : { ...parts, storage: facedStorage(parts.storage, face) };
  return { call, parts: seen, strategy, subresource, resource, namespace };
}

export function keyFor(stored: StoredCall, name: string): string {
  return keyOf(keptAs(stored.strategy), { namespace: stored.namespace, name });
}

/** The resource under which objects of a kind are stored: its own, or for a second face of a kind that of the first. */
export function keptAs(strategy: Strategy): Resource {
  return strategy.face?.of ?? strategy.resource;
}

export function writeFacts({ call, parts }: StoredCall): WriteFacts {
  return {
    user: call.user,
    nowMs: parts.clock.now(),
    list: (resource) => parts.storage.list({ prefix: prefixOf(resource) }).items.map(({ object }) => object),
  };
}

export function updateRules(stored: StoredCall): UpdateRules<KubeObject> {
  return stored.subresource ?? stored.strategy;
}

const WRITE_OPTIONS: Resource = {
  group: "meta.k8s.io",
  version: "v1",
  plural: "writeoptions",
  kind: "WriteOptions",
  namespaced: false,
};

/** dryRun=All: everything is done but the write. Any value other than `All` is refused. */
export function isDryRun(stored: StoredCall): boolean {
  const value = stored.call.query.first("dryRun");
  if (value === undefined || value === "") return false;
  if (value !== "All") throw invalidObject(WRITE_OPTIONS, "", [notSupported("dryRun", [value], ["All"])]);
  return true;
}

interface Objects {
  readonly name: string;
  readonly current?: KubeObject | undefined;
  readonly object?: KubeObject | undefined;
}

export function attemptOf(stored: StoredCall, operation: Operation, objects: Objects): Attempt {
  return {
    operation,
    resource: stored.resource,
    subresource: stored.subresource?.name ?? "",
    namespace: stored.namespace,
    name: objects.name,
    user: stored.call.user,
    current: objects.current,
    object: objects.object,
  };
}

/** A refusal of admission ends the call. */
export function enforce(refusal: AdmissionRefusal | undefined, attempt: Attempt): void {
  if (refusal === undefined) return;
  if (refusal.missing !== undefined) throw notFound(refusal.missing.resource, refusal.missing.name);
  const { name, generateName } = attempt.object?.metadata ?? {};
  const { resource } = attempt;
  throw forbidden(resource, attempt.name || name || generateName || "Unknown", refusal.message, refusal.causes);
}

// A POST to a subresource, with everything its handler needs (posts/index.ts).

export interface PostedCall {
  readonly call: Call;
  readonly parts: VerbParts;
  /** The kind that the subresource belongs to. */
  readonly strategy: Strategy;
  readonly resource: Resource;
  /** Of the object that is posted to. The namespace is empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: CreateSubresource;
}

/** The answer of a handler that has no object to return. */
export function done(): Answer {
  const body: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return { kind: "document", status: 201, body };
}

export type PostHandler = (posted: PostedCall, body: KubeObject) => Promise<Answer>;
