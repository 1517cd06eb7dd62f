// @peculiar/x509, ready to use: the peer that differential tests and the benchmark compare with. It wants three
// functions of the Reflect metadata proposal to be global before it loads; these few lines save a dependency on a
// polyfill.
import { webcrypto } from "node:crypto";

/** @type {WeakMap<object, Map<unknown, unknown>>} */
const metadata = new WeakMap();

/** @param {unknown} key @param {object} target */
function getOwnMetadata(key, target) {
  return metadata.get(target)?.get(key);
}

/** @param {unknown} key @param {object | null} target @returns {unknown} */
function getMetadata(key, target) {
  if (target === null) return undefined;
  return getOwnMetadata(key, target) ?? getMetadata(key, Object.getPrototypeOf(target));
}

/** @param {unknown} key @param {unknown} value @param {object} target */
function defineMetadata(key, value, target) {
  const own = metadata.get(target) ?? new Map();
  metadata.set(target, own.set(key, value));
}

export async function loadPeculiar() {
  if (!("getMetadata" in Reflect)) Object.assign(Reflect, { getOwnMetadata, getMetadata, defineMetadata });
  const peculiar = await import("@peculiar/x509");
  peculiar.cryptoProvider.set(webcrypto);
  return peculiar;
}
