// What runs on the machine: the plugin's program and the provider's node side. As written it proves possession of a key in a file; an
// author puts the platform's proof in its place.

export function program(name: string): string {
  return `#!/usr/bin/env node
// kubelet-authenticator-${name}: the credential plugin that the kubelet starts. The provider is loaded only when it is needed.
import { runProviderAuthenticator } from "countersign/authenticator";

await runProviderAuthenticator({ name: "${name}", canRenew: true, load: () => import("../dist/node.js") });
`;
}

export function statement(name: string): string {
  return `// What is signed: the digest of request and challenge, behind words that no other use of the key begins with.

const CONTEXT = "countersign provider ${name} 1\\0";

export function statementOf(digest: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(CONTEXT, "utf8"), digest]);
}
`;
}

export function nodeSide(name: string): string {
  return `// The machine's end: which machine this is, and a proof of it that covers the digest.
//
// Settings: machine, its name; keyFile, its Ed25519 private key as PEM. Put your platform's identity and proof in their place.
import { createPrivateKey, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { encodeBytes, type JsonObject, type NodeProvider, textSetting } from "@countersign/sdk";
import { statementOf } from "./statement.ts";

export function createProvider(settings: JsonObject): NodeProvider {
  const machine = textSetting(settings, "machine");
  const keyFile = textSetting(settings, "keyFile");
  return {
    name: "${name}",
    contractVersion: 1,
    versions: [1],
    // The controller sends a nonce, which is in the digest. A proof with an end of its own is "time-limited" instead.
    freshness: "challenge",
    canRenew: true,
    canServe: true,
    providerId: async () => \`${name}:///\${machine}\`,
    attest: async ({ digest }, { signal }) => {
      const key = createPrivateKey(await readFile(keyFile, { encoding: "utf8", signal }));
      return { signature: encodeBytes(sign(null, statementOf(digest), key)) };
    },
  };
}
`;
}
