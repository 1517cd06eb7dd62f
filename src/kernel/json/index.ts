export {
  checkJson,
  countValues,
  isJsonObject,
  type Json,
  type JsonObject,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  parseJson,
} from "./json.ts";
export { isSameJson } from "./same-json.ts";
