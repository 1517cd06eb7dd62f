// The discovery filter before a real kube-apiserver: JWT authentication, signed answers, everything else untouched.

export { runGatewayCommand } from "./command/index.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export type { Material, MaterialFiles } from "./material.ts";
export type { Tokens } from "./tokens.ts";
export type { Backend } from "./upstreams.ts";
