export { JSON_TYPE, MAX_BODY_BYTES, mediaTypeOf, readJsonBody, unknownFormat } from "./body.ts";
export { type FieldRequirement, matchesFields, parseFieldSelector, requiredValue } from "./field-selector.ts";
export { checkJson, isJsonObject, type Json, type JsonObject, MAX_JSON_DEPTH, parseJson } from "./json.ts";
export { type LabelOperator, type LabelRequirement, matchesLabels, parseLabelSelector } from "./label-selector.ts";
export { countParameter, isTrue, NO_QUERY, parseQuery, type Query } from "./query.ts";
export { NO_REQUEST_INFO, parseRequestInfo, type RequestInfo } from "./request-info.ts";
export { runEntry } from "./stage.ts";
export { parseTarget, type Target } from "./target.ts";
