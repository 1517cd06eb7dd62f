export { withDefaults, withDefaultsAsFarAsPossible } from "./defaults.ts";
export { isKnownFormat } from "./formats.ts";
export { type Pruned, pruneObject } from "./prune.ts";
export { hasUnreadRules, parseSchema, type Schema } from "./schema.ts";
export { type Validation, validateValue } from "./validate.ts";
export { embeddedErrors, listErrors } from "./validate-structure.ts";
