// Stored definitions -> the registry. A custom kind is served from the moment its definition is durable and established
// until the definition is gone; the request after the one that changed a definition sees the change.

import { isFault } from "../kernel/outcome/index.ts";
import { CUSTOM_RESOURCE_DEFINITIONS, type Definition, kindsOf } from "./resources/custom/index.ts";
import type { DefinableRegistry } from "./resources/registry.ts";
import type { Strategy } from "./resources/strategy.ts";
import { prefixOf } from "./storage/key.ts";
import type { Storage } from "./storage/storage.ts";

/** Returns a function that stops following. */
export function followDefinitions(storage: Storage, registry: DefinableRegistry): () => void {
  const prefix = prefixOf(CUSTOM_RESOURCE_DEFINITIONS);
  const { items, revision } = storage.list({ prefix });
  for (const { object } of items) define(registry, object as Definition);
  return storage.watch(prefix, revision, ({ type, object }) => {
    if (type === "DELETED") registry.define(object.metadata.name ?? "", []);
    else define(registry, object as Definition);
  });
}

function define(registry: DefinableRegistry, definition: Definition): void {
  registry.define(definition.metadata.name ?? "", served(definition));
}

/** A definition that an older version of this server accepted and this one finds too large is not served. */
function served(definition: Definition): readonly Strategy[] {
  try {
    return kindsOf(definition);
  } catch (error) {
    if (isFault(error, "limit-exceeded")) return [];
    throw error;
  }
}
