export { builtInSchema } from "./built-in.ts";
export { conform } from "./conform.ts";
export { schemaOfKind } from "./kind.ts";
export { ANY, type AnySchema, type Field, type ListSchema, type Schema, type StructSchema } from "./schema.ts";
export { zeroOf } from "./zero.ts";
