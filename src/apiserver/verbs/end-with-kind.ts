// A watch on a custom kind ends with the kind: when its definition is removed, or says something else from now on. What the
// watcher selects and how its answers look was read from the old one. Clients watch again, and find the new kind or a 404.
// Behaviour of crdHandler in k8s.io/apiextensions-apiserver, which tears the storage of a changed kind down.

import { CUSTOM_RESOURCE_DEFINITIONS, type Definition, identityOf } from "../resources/custom/index.ts";
import type { Strategy } from "../resources/strategy.ts";
import { keyOf } from "../storage/key.ts";
import type { Storage } from "../storage/storage.ts";
import type { Watch } from "../watching/watch.ts";

export function endWithKind(watch: Watch, { custom }: Strategy, storage: Storage): void {
  if (custom === undefined) return;
  const key = keyOf(CUSTOM_RESOURCE_DEFINITIONS, { name: custom.definition });
  const endUnlessSame = (): void => {
    const definition = storage.get(key)?.object as Definition | undefined;
    if (definition === undefined || identityOf(definition) !== custom.identity) watch.finish();
  };
  const unsubscribe = storage.watch(key, storage.revision(), (change) => {
    if (change.key === key) endUnlessSame();
  });
  watch.ended.addEventListener("abort", unsubscribe, { once: true });
  // It may have changed since this request found its kind.
  endUnlessSame();
}
