export { type Conflict, type ConflictCause, describeConflicts } from "./conflict.ts";
export { type FieldSet, NO_FIELDS, setOf, unionOf } from "./field-set.ts";
export { fieldsOf } from "./fields-of.ts";
export { isWithin, unchangedFields } from "./last-applied.ts";
export { encodeManagers, type Managers, NO_MANAGERS, parseManagers, type Writer } from "./managers.ts";
export { fieldElement } from "./path-element.ts";
export { filledIn, resetFields } from "./server-made.ts";
export { type Applied, applyConfiguration, trackUpdate, type Write } from "./track.ts";
