export {
  type HttpAnswer,
  type HttpHandler,
  type HttpHeaders,
  type HttpRequest,
  headerValue,
  isWhole,
} from "./exchange.ts";
export { getHttps, type HttpsAnswer, type ServerTrust } from "./get-https.ts";
export { dialableAddress, type Listener, startListener } from "./listener.ts";
export { loadSystemRoots } from "./system-roots.ts";
export {
  CONNECTION_LIMITS,
  createTlsServer,
  type ListenAddress,
  listen,
  peerCertificatesOf,
  type ServingCertificate,
  useCertificate,
} from "./tls-server.ts";
export {
  createUpstream,
  type Incoming,
  type Outgoing,
  type OutgoingCall,
  type Upgraded,
  type Upstream,
} from "./upstream.ts";
