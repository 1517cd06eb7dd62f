// Step 4, admit: what a plugin is. It looks at one attempt to write and refuses it or says nothing; it never reads the
// world except through Questions, and it never changes the object.

import type { KubeObject, Resource } from "../../api/meta/index.ts";
import { type Deny, deny } from "../../kernel/outcome/index.ts";
import type { Attributes, Decision } from "../authorization/attributes.ts";
import type { RbacObjects } from "../authorization/rbac.ts";
import type { Attempt } from "../call.ts";

/** What a plugin may ask. All answers come from memory. */
export interface Questions {
  authorize(attributes: Attributes): Decision;
  get(resource: Resource, name: string): KubeObject | undefined;
  readonly rbac: RbacObjects;
}

export interface Plugin {
  readonly name: string;
  /** `before` sees what the client sent; `after` sees the prepared and validated object. */
  readonly phase: "before" | "after";
  judge(attempt: Attempt, questions: Questions): Deny | undefined;
}

export function refuse(plugin: string, reason: string, message: string): Deny {
  return deny({ rule: plugin, reason, message });
}
