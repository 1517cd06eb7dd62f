export { checkJson, type Json, type JsonObject, parseJson } from "./json.ts";
export { NO_QUERY, parseQuery, type Query } from "./query.ts";
export { NO_REQUEST_INFO, parseRequestInfo, type RequestInfo } from "./request-info.ts";
export { parseTarget, type Target } from "./target.ts";
export { parseYaml } from "./yaml.ts";
