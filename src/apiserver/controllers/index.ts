// The loops that run beside the requests of this server, each in the place of a controller of kube-controller-manager.

import type { Secret } from "../../api/core/index.ts";
import { SECRETS } from "../../api/meta/index.ts";
import type { Parts } from "../chain.ts";
import { prefixOf } from "../storage/key.ts";
import { createDefinitions } from "./definitions.ts";
import { bootstrapTokens, runCompaction, runEventExpiry } from "./expiry.ts";
import { createGarbageCollector } from "./garbage/index.ts";
import { createRootCa, defaultAccounts } from "./in-every-namespace.ts";
import { type Controller, type LoopTrouble, runLoop } from "./loop.ts";
import { createNamespaces } from "./namespaces/index.ts";
import { createNodeLifecycle } from "./node-lifecycle/index.ts";
import { createTokenSecrets } from "./token-secrets/index.ts";

export type { LoopTrouble } from "./loop.ts";

interface LoopsOptions {
  readonly parts: Parts;
  /** Undefined: only the loops that finish deletions. */
  readonly choices: { readonly rootCaPem: string } | undefined;
  readonly onTrouble: ((trouble: LoopTrouble) => void) | undefined;
}

interface Loops {
  stop(): Promise<void>;
}

export function startLoops({ parts, choices, onTrouble = () => undefined }: LoopsOptions): Loops {
  const { storage, clock, registry } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const controllers = [
    createDefinitions({ storage, registry }),
    createNamespaces(registry),
    createGarbageCollector({ storage, registry }),
    ...(choices === undefined ? [] : clusterControllers(parts, choices)),
  ];
  const running = [
    runCompaction({ storage, clock, signal }),
    runEventExpiry({ storage, clock, signal }),
    ...controllers.map((controller) => runLoop(controller, { parts, signal, onTrouble })),
  ];
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

function clusterControllers(parts: Parts, { rootCaPem }: { readonly rootCaPem: string }): readonly Controller[] {
  const { storage, clock, tokens } = parts;
  const secretsIn = (namespace: string) =>
    storage.list({ prefix: prefixOf(SECRETS, namespace) }).items.map(({ object }) => object as Secret);
  return [
    defaultAccounts,
    createTokenSecrets({ tokens, rootCaPem, secretsIn }),
    createRootCa(rootCaPem),
    createNodeLifecycle(clock),
    bootstrapTokens,
  ];
}
