export { endpointSliceStrategy, endpointsStrategy } from "./endpoints.ts";
export { serviceStrategy } from "./service.ts";
