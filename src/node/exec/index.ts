export {
  INSECURE_AUTHENTICATOR,
  PLAIN_AUTHENTICATOR,
  TPM_AUTHENTICATOR,
} from "./authenticators.ts";
export { createExecEdge, type ExecEdge } from "./edge.ts";
export { runAuthenticator } from "./run.ts";
