// The plugin of the same duty in Go, with client-go's types: bench/peers/go-exec.
import { join } from "node:path";
import { buildGoPeer } from "../frame/go-peer.mjs";

/** @param {string} folder @returns {string} the executable's path */
export function buildGoPlugin(folder) {
  const binary = join(folder, "go-exec");
  buildGoPeer("go-exec", binary);
  return binary;
}
