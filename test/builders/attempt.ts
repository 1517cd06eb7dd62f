// A try to write something, for the plugins of admission.

import type { UserInfo } from "../../src/api/access/index.ts";
import type { KubeObject, Resource } from "../../src/api/meta/index.ts";
import type { Attempt, Operation } from "../../src/apiserver/call.ts";
import { aNode } from "./csr.ts";

const NOBODY: UserInfo = { username: "", groups: [] };

export function anAttempt(operation: Operation, resource: Resource, changed: Partial<Attempt> = {}): Attempt {
  const { object, current } = changed;
  return {
    operation,
    resource,
    subresource: "",
    namespace: "",
    name: (object ?? current)?.metadata.name ?? "",
    user: NOBODY,
    object: undefined,
    current: undefined,
    ...changed,
  };
}

/** By node n1. */
export function aNodesAttempt(operation: Operation, resource: Resource, changed: Partial<Attempt> = {}): Attempt {
  return anAttempt(operation, resource, { user: aNode("n1"), ...changed });
}

/** Any object: admission sees what was sent, before anybody looked at its shape. */
export function anObject(name: string, more: object = {}): KubeObject {
  return { kind: "", apiVersion: "", metadata: { name }, ...more };
}
