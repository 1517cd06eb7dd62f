// The answers to our own writes, shown to the informers: the object that a PUT brings back is the newest there is, so
// the signer need not wait until the watch tells what the approver was just told. Features write as always and know
// nothing of it.

import type { KubeObject, Resource } from "../api/meta/index.ts";
import type { Informer, KubeClient } from "../platform/kube/index.ts";

/** For the kinds whose next step waits for our last one: requests, and what is recorded of them. */
export function showOwnAnswers<O extends KubeObject>(
  client: KubeClient,
  kind: Resource,
  { observe }: Pick<Informer<O>, "observe">,
): KubeClient {
  function show<T extends KubeObject>(resource: Resource, answer: T): T {
    // The writer goes on first: the verdict is in the audit trail before the certificate is.
    if (resource === kind) setImmediate(() => observe(answer as unknown as O));
    return answer;
  }
  return {
    ...client,
    update: async (resource, object, options) => show(resource, await client.update(resource, object, options)),
    patch: async (resource, target, patch, options) =>
      show(resource, await client.patch(resource, target, patch, options)),
  };
}
