// A client for the time of a term: reads are free, every write asks the term first and ends with it. See term.ts.

import type { CallOptions, KubeClient } from "../client.ts";
import type { Term } from "./term.ts";

export function fenceWrites(client: KubeClient, term: Pick<Term, "writeMs">): KubeClient {
  function fenced<O extends CallOptions>(options: O | undefined): O & CallOptions {
    const leftMs = term.writeMs();
    return {
      ...(options ?? ({} as O)),
      timeoutMs: Math.min(options?.timeoutMs ?? leftMs, leftMs),
      beforeSend: () => {
        options?.beforeSend?.();
        term.writeMs();
      },
    };
  }
  return {
    ...client,
    create: async (resource, object, options) => client.create(resource, object, fenced(options)),
    update: async (resource, object, options) => client.update(resource, object, fenced(options)),
    patch: async (resource, target, patch, options) => client.patch(resource, target, patch, fenced(options)),
    delete: async (resource, target, options) => client.delete(resource, target, fenced(options)),
  };
}
