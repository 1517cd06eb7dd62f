// What is asked of the network that is not HTTP: which certificate a server has, which addresses a name has,
// and how a connection comes about, through a proxy or directly.

export { ownAddresses, resolveName } from "./addresses.ts";
export { connectionTo } from "./connection.ts";
export { type Environment, parseProxyUrl } from "./proxy-choice.ts";
export { fetchServingCertificate } from "./serving-certificate.ts";
