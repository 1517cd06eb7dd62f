export type { Endpoint } from "./endpoint.ts";
export { type FieldError, invalid, required } from "./field-error.ts";
export {
  formatTime,
  metaForCreate,
  metaForUpdate,
  orderFields,
  validateMeta,
  validateMetaUpdate,
} from "./metadata.ts";
export { createRegistry, type DefinableRegistry, type Registry } from "./registry.ts";
export type { Review, ReviewFacts } from "./review.ts";
export { type Shape, shapeProblem } from "./shape.ts";
export type { CreateSubresource, Strategy, Subresource, UpdateRules, WriteFacts } from "./strategy.ts";
export type { Cell, Column, TableLayout } from "./table.ts";
