// Step 4, admit: what a plugin is. It sees one attempt to write and refuses it or returns nothing; it reads other
// objects only through Questions. A few plugins also add to an object that is written, before any plugin judges it.

import type { Attributes, Decision } from "../../api/access/index.ts";
import { type KubeObject, qualifiedName, type Resource } from "../../api/meta/index.ts";
import { deny } from "../../kernel/outcome/index.ts";
import type { RbacObjects } from "../authorization/rbac.ts";
import type { AdmissionRefusal, Attempt } from "../call.ts";

/** What a plugin may ask. All answers come from memory. */
export interface Questions {
  authorize(attributes: Attributes): Decision;
  get(resource: Resource, name: string, namespace?: string): KubeObject | undefined;
  list(resource: Resource): readonly KubeObject[];
  /** Five letters for a generated name, new at every call. */
  suffix(): string;
  readonly rbac: RbacObjects;
  /** Whether the admission guard of certificate requests is on. */
  readonly isGuarded?: boolean | undefined;
}

export interface Plugin {
  readonly name: string;
  /** `before` sees what the client sent; `after` sees the prepared and validated object. */
  readonly phase: "before" | "after";
  /** The object with the defaults that clients rely on; `judge` sees the result. */
  change?(attempt: Attempt, questions: Questions): KubeObject | undefined;
  judge(attempt: Attempt, questions: Questions): AdmissionRefusal | undefined;
}

export function refuse(plugin: string, reason: string, message: string): AdmissionRefusal {
  return deny({ rule: plugin, reason, message });
}

/** Refused because of an object that does not exist. */
export function refuseMissing(plugin: string, resource: Resource, name: string): AdmissionRefusal {
  const message = `${qualifiedName(resource)} ${JSON.stringify(name)} not found`;
  return { ...deny({ rule: plugin, reason: "NotFound", message }), missing: { resource, name } };
}
