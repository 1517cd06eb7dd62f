// What the benchmarks of the controller use of the built product.
import { DIST, loadParts } from "../frame/product.mjs";

export { DIST };

export function loadProduct() {
  return loadParts({ x509: "kernel/x509", keys: "platform/keys", pem: "kernel/pem" });
}
