// NamespaceLifecycle: nothing is created in a namespace that is missing or being deleted, and the namespaces the
// cluster itself needs cannot be deleted.

import type { Namespace } from "../../api/core/index.ts";
import { NAMESPACES } from "../../api/meta/index.ts";
import { type Plugin, refuse, refuseMissing } from "./plugin.ts";

const NAME = "NamespaceLifecycle";
/** Clients look for this cause: a controller that recreates what is being deleted stops instead of trying again. */
const TERMINATING = "NamespaceTerminating";
const IMMORTAL: readonly string[] = ["default", "kube-system", "kube-public"];

export const namespaceLifecycle: Plugin = {
  name: NAME,
  phase: "before",
  judge: (attempt, questions) => {
    const { resource, operation, name, namespace } = attempt;
    if (resource === NAMESPACES) {
      const isProtected = operation === "DELETE" && IMMORTAL.includes(name);
      return isProtected ? refuse(NAME, "NamespaceIsImmortal", "this namespace may not be deleted") : undefined;
    }
    if (operation !== "CREATE" || !resource.namespaced) return undefined;
    const found = questions.get(NAMESPACES, namespace) as Namespace | undefined;
    if (found === undefined) return refuseMissing(NAME, NAMESPACES, namespace);
    if (found.status?.phase !== "Terminating") return undefined;
    const text = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const message = `namespace ${namespace} is being terminated`;
    const causes = [{ reason: TERMINATING, message, field: "metadata.namespace" }];
    return { ...refuse(NAME, TERMINATING, text), causes };
  },
};
