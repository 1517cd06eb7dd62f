// The answers to our own writes, shown to the informers: the object that a PUT brings back is the newest there is, so the
// signer need not wait until the watch tells what the approver was just told. Features write as always and know nothing of it.

import type { CertificateSigningRequest } from "../api/certificates/index.ts";
import { CSRS, type KubeObject, type Resource } from "../api/meta/index.ts";
import type { Informer, KubeClient } from "../platform/kube/index.ts";

export function showOwnAnswers(client: KubeClient, csrs: Informer<CertificateSigningRequest>): KubeClient {
  function show<T extends KubeObject>(resource: Resource, answer: T): T {
    // The one kind whose next step waits for our last one. Whoever wrote goes on first: the verdict is in the audit trail
    // before the certificate is.
    if (resource === CSRS) setImmediate(() => csrs.observe(answer as unknown as CertificateSigningRequest));
    return answer;
  }
  return {
    ...client,
    update: async (resource, object, options) => show(resource, await client.update(resource, object, options)),
    patch: async (resource, target, patch, options) =>
      show(resource, await client.patch(resource, target, patch, options)),
  };
}
