// The discovery filter before a real kube-apiserver: JWT authentication, signed answers, everything else untouched.

export { runGatewayCommand } from "./command/index.ts";
