// The built product, from dist/ or from where COUNTERSIGN_DIST says.
import { join } from "node:path";

export const DIST = process.env["COUNTERSIGN_DIST"] ?? join(import.meta.dirname, "../../dist");

/**
 * Folders of the product by a name of one's own, each through its index.
 * @template {string} Name
 * @param {Readonly<Record<Name, string>>} folders
 * @returns {Promise<Record<Name, any>>}
 */
export async function loadParts(folders) {
  const names = /** @type {Name[]} */ (Object.keys(folders));
  const parts = await Promise.all(names.map((name) => import(join(DIST, folders[name], "index.js"))));
  return /** @type {Record<Name, any>} */ (Object.fromEntries(names.map((name, at) => [name, parts[at]])));
}
