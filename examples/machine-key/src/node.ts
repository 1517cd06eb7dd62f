// The machine's end: it answers the controller's challenge with the key that its operator enrolled. The digest covers
// the nonce.
//
// Settings: `machine`, the name it was enrolled under; `keyFile`, its Ed25519 private key as PEM, mode 0600.
import { createPrivateKey, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { encodeBytes, type JsonObject, type NodeProvider, textSetting } from "@countersign/sdk";
import { providerIdOf, statementOf } from "./statement.ts";

export function createProvider(settings: JsonObject): NodeProvider {
  const providerId = providerIdOf(textSetting(settings, "machine"));
  const keyFile = textSetting(settings, "keyFile");
  return {
    name: "machine-key",
    contractVersion: 1,
    versions: [1],
    freshness: "challenge",
    canRenew: true,
    canServe: true,
    providerId: async () => providerId,
    attest: async ({ digest }, { signal }) => {
      const key = createPrivateKey(await readFile(keyFile, { encoding: "utf8", signal }));
      if (key.asymmetricKeyType !== "ed25519") throw new TypeError(`${keyFile} must hold an Ed25519 key`);
      return { signature: encodeBytes(sign(null, statementOf(digest), key)) };
    },
  };
}
