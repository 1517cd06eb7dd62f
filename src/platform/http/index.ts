export { type HttpAnswer, type HttpHandler, type HttpHeaders, type HttpRequest, headerValue } from "./exchange.ts";
export { type Listener, type ListenerOptions, type ServingCertificate, startListener } from "./listener.ts";
