// The embedded control plane: what `countersign up`, the demonstration and the tests start.

export { shippedPath } from "./manifests.ts";
export { type Plane, type PlaneOptions, type ServerChoices, startPlane } from "./plane.ts";
export { storeToken } from "./store-token.ts";
