export { type Conflict, describeConflicts } from "./conflict.ts";
export { type FieldSet, unionOf } from "./field-set.ts";
export { encodeManagers, type FieldWriter, type Managers, NO_MANAGERS, parseManagers } from "./managers.ts";
export { filledFields, resetFields } from "./server-made.ts";
export {
  type Applied,
  applyConfiguration,
  isWithin,
  type TrackedWrite,
  trackUpdate,
  unchangedFields,
} from "./track.ts";
