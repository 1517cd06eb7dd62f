// A call about a stored kind, with everything its verb needs in one place.

import type { KubeObject, Resource } from "../../api/meta/index.ts";
import { NAMESPACES } from "../../api/meta/index.ts";
import type { Deny } from "../../kernel/outcome/index.ts";
import type { Attempt, Call, Operation, Parts } from "../call.ts";
import { forbidden, invalidObject, notFound } from "../reply/status.ts";
import { notSupported } from "../resources/field-error.ts";
import type { Strategy, Subresource, UpdateRules } from "../resources/strategy.ts";
import { keyOf } from "../storage/key.ts";

export interface StoredCall {
  readonly call: Call;
  readonly parts: Parts;
  readonly strategy: Strategy;
  readonly subresource: Subresource | undefined;
  readonly resource: Resource;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
}

export function storedCall(call: Call, parts: Parts): StoredCall | undefined {
  if (call.endpoint?.kind !== "stored") return undefined;
  const { strategy, subresource } = call.endpoint;
  const namespace = strategy.resource.namespaced ? call.info.namespace : "";
  return { call, parts, strategy, subresource, resource: strategy.resource, namespace };
}

export function keyFor(stored: StoredCall, name: string): string {
  return keyOf(stored.resource, { namespace: stored.namespace, name });
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

/** dryRun=All: everything is done but the writing. Anything else than `All` is a mistake worth telling. */
export function isDryRun(stored: StoredCall): boolean {
  const value = stored.call.query.first("dryRun");
  if (value === undefined || value === "") return false;
  if (value !== "All") throw invalidObject(WRITE_OPTIONS, "", [notSupported("dryRun", [value], ["All"])]);
  return true;
}

export interface Objects {
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

/** A refusal of admission ends the call; the reason NamespaceNotFound is told as the missing namespace it is. */
export function enforce(refusal: Deny | undefined, attempt: Attempt): void {
  if (refusal === undefined) return;
  if (refusal.reason === "NamespaceNotFound") throw notFound(NAMESPACES, attempt.namespace);
  const { name, generateName } = attempt.object?.metadata ?? {};
  throw forbidden(attempt.resource, attempt.name || name || generateName || "Unknown", refusal.message);
}
