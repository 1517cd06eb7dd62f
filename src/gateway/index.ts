// The discovery filter before a real kube-apiserver: JWT authentication, signed answers, everything else untouched.

export { runGatewayCommand } from "./command/index.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export { loadMaterial, type Material, type MaterialFiles } from "./material.ts";
export { followTokens, type Tokens } from "./tokens.ts";
export type { Backend } from "./upstreams.ts";
