export { withDefaults, withDefaultsAsFarAsPossible } from "./defaults.ts";
export { isKnownFormat } from "./formats.ts";
export { pruneObject } from "./prune.ts";
export { type CustomSchema, hasUnreadRules, parseSchema } from "./schema.ts";
export { validateValue } from "./validate.ts";
export { embeddedErrors, listErrors } from "./validate-structure.ts";
