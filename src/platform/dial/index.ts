// Two questions to the network that are not HTTP: which certificate somebody serves with, and which addresses a name has.

export { type NameAnswer, resolveName } from "./resolve-name.ts";
export { fetchServingCertificate, type ServingAddress } from "./serving-certificate.ts";
