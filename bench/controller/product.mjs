// The built product, from dist/ or from where COUNTERSIGN_DIST says.
import { join } from "node:path";

export const DIST = process.env["COUNTERSIGN_DIST"] ?? join(import.meta.dirname, "../../dist");

export async function loadProduct() {
  const [x509, keys, pem] = await Promise.all(
    ["kernel/x509", "platform/keys", "kernel/pem"].map((folder) => import(join(DIST, folder, "index.js"))),
  );
  return { x509, keys, pem };
}
