// The credential plugin of a provider that was written against the SDK. Its package has a short program that calls
// this, as `countersign provider new` writes it. Entered as `countersign/authenticator`.

import type { Authenticator } from "./authenticators.ts";
import { createExecEdge } from "./edge.ts";
import { runAuthenticator } from "./run.ts";

interface ProviderPlugin {
  /** The provider's name: the program is `kubelet-authenticator-<name>`, the signer ends with it. */
  readonly name: string;
  /** The provider's own answer, repeated here so that the provider need not be loaded to hear it. */
  readonly canRenew: boolean;
  /** Imports the package's `./node`; called only when a certificate has to be requested. */
  load(): Promise<unknown>;
}

export async function runProviderAuthenticator(plugin: ProviderPlugin): Promise<void> {
  const code = await runAuthenticator(providerAuthenticator(plugin), createExecEdge());
  // Everything is written by now, and a kubelet waits: what a provider has left open does not keep the process alive.
  process.exit(code);
}

export function providerAuthenticator({ name, canRenew, load }: ProviderPlugin): Authenticator {
  const program = `kubelet-authenticator-${name}`;
  return {
    program,
    signerName: `cluster.x-k8s.io/kube-apiserver-client-kubelet-${name}`,
    canRenew,
    ownFlags: { "--settings": { value: "FILE", description: "the provider's settings as a JSON object" } },
    loadProvider: async (own) => {
      const { createSdkProvider, loadSettings, makeProvider } = await import("../../attestation/sdk/node.ts");
      const settings = await loadSettings(own.get("--settings"));
      return createSdkProvider(await makeProvider(load, program, settings));
    },
  };
}
