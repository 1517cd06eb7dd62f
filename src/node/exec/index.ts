export type { AuthenticatorName } from "./authenticators.ts";
export type { ExecEdge } from "./edge.ts";
export { runAuthenticator } from "./run.ts";
