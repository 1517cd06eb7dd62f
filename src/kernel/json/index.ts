export {
  checkJson,
  countValues,
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  parseJson,
} from "./json.ts";
