// The issuing duty in Go's crypto/x509: bench/peers/go-x509.
import { createPrivateKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { base64, startGoPeer } from "../frame/go-peer.mjs";

/**
 * Each round issues for every request once, with the named CA.
 * @param {Readonly<Record<string, import("./duty.mjs").Authority>>} authorities
 * @param {readonly Uint8Array[]} requests
 */
export function startIssuingPeer(authorities, requests) {
  return startGoPeer("go-x509", (folder) => {
    writeFileSync(join(folder, "requests.json"), JSON.stringify(requests.map(base64)));
    for (const [name, { key, certificate }] of Object.entries(authorities)) {
      const pkcs8 = createPrivateKey(key.encodePem()).export({ type: "pkcs8", format: "der" });
      const content = JSON.stringify({ certificate: base64(certificate.raw), key: base64(pkcs8) });
      writeFileSync(join(folder, `${name}.json`), content, { mode: 0o600 });
    }
    return [folder];
  });
}
