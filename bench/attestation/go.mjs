// The verifying duty in go-attestation: bench/peers/go-attestation.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { base64, startGoPeer } from "../frame/go-peer.mjs";

/**
 * Each round verifies the named exchange `count` times.
 * @param {Readonly<Record<string, import("./duty.mjs").Exchange>>} exchanges
 * @param {number} count
 */
export function startVerifyingPeer(exchanges, count) {
  return startGoPeer("go-attestation", (folder) => {
    const evidence = join(folder, "exchanges.json");
    const text = JSON.stringify(exchanges, (_, value) => (value instanceof Uint8Array ? base64(value) : value));
    writeFileSync(evidence, text);
    return [evidence, String(count)];
  });
}
