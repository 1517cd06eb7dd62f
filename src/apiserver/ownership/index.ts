export { type Conflict, type ConflictCause, describeConflicts } from "./conflict.ts";
export { type FieldSet, unionOf } from "./field-set.ts";
export { isWithin, unchangedFields } from "./last-applied.ts";
export { encodeManagers, type Managers, NO_MANAGERS, parseManagers, type Writer } from "./managers.ts";
export { filledIn, resetFields } from "./server-made.ts";
export { type Applied, applyConfiguration, trackUpdate, type Write } from "./track.ts";
