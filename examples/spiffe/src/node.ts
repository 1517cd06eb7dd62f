// The machine's end: its SVID, as SPIRE's agent or spiffe-helper writes it to disk, and a signature by the SVID's key
// over this exchange. The SVID may change between two exchanges, its SPIFFE ID may not.
//
// Settings: `svidFile`, the SVID and its intermediates as PEM; `keyFile`, its private key as PEM.
import { createPrivateKey, type X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { encodeBytes, type JsonObject, type NodeProvider, textSetting } from "@countersign/sdk";
import { signStatement, statementOf } from "./signature.ts";
import { parsePemCertificates, spiffeIdOf } from "./svid.ts";

export function createProvider(settings: JsonObject): NodeProvider {
  const svidFile = textSetting(settings, "svidFile");
  const keyFile = textSetting(settings, "keyFile");
  const read = (path: string, signal: AbortSignal) => readFile(path, { encoding: "utf8", signal });
  return {
    name: "spiffe",
    contractVersion: 1,
    versions: [1],
    freshness: "challenge",
    canRenew: true,
    canServe: true,
    providerId: async ({ signal }) => idOf(parsePemCertificates(await read(svidFile, signal)), svidFile),
    attest: async ({ digest }, { signal }) => {
      const chain = parsePemCertificates(await read(svidFile, signal));
      const key = createPrivateKey(await read(keyFile, signal));
      // Rotation writes two files: between them they do not belong together, and the next try will find that they do.
      if (chain[0]?.checkPrivateKey(key) !== true) throw new TypeError(`${keyFile} is not the key of ${svidFile}`);
      return {
        chain: chain.map(({ raw }) => encodeBytes(raw)),
        signature: encodeBytes(signStatement(key, statementOf(digest))),
      };
    },
  };
}

function idOf([leaf]: readonly X509Certificate[], svidFile: string): string {
  const id = leaf === undefined ? undefined : spiffeIdOf(leaf);
  if (id === undefined) throw new TypeError(`${svidFile} holds no X.509-SVID`);
  return id.text;
}
