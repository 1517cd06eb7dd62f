// What is asked of the network that is not HTTP: which certificate somebody serves with, which addresses a name has, and a way
// through a proxy.

export { type ConnectionOptions, connectionTo } from "./connection.ts";
export { type Environment, proxyFor } from "./proxy-choice.ts";
export { type NameAnswer, resolveName } from "./resolve-name.ts";
export { fetchServingCertificate, type ServingAddress } from "./serving-certificate.ts";
export { openTunnel, type TunnelOptions } from "./tunnel.ts";
