export {
  JSON_TYPE,
  MAX_BODY_BYTES,
  mediaTypeOf,
  PROTOBUF_TYPE,
  readBody,
  readJsonBody,
  unknownFormat,
  YAML_TYPE,
} from "./body.ts";
export { checkJson, isJsonObject, type Json, type JsonObject, MAX_JSON_DEPTH, parseJson } from "./json.ts";
export { countParameter, isTrue, NO_QUERY, parseQuery, type Query } from "./query.ts";
export { NO_REQUEST_INFO, parseRequestInfo, type RequestInfo } from "./request-info.ts";
export { runEntry } from "./stage.ts";
export { parseTarget, type Target } from "./target.ts";
export { MAX_YAML_BYTES, parseYaml } from "./yaml.ts";
