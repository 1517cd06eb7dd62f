export {
  CLEANUP_FINALIZER,
  CUSTOM_RESOURCE_DEFINITIONS,
  type Definition,
  identityOf,
  isConditionTrue,
} from "./definition.ts";
export { kindsOf } from "./kind.ts";
export { judgeNames } from "./names.ts";
export { API_VERSION, KIND, LIST_METADATA, METADATA, openApiListOf, openApiSchemaOf } from "./openapi.ts";
