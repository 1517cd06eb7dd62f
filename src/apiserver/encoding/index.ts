export { typeProblem } from "./check-types.ts";
export { encodeProtobuf, encodeProtobufEvent, parseProtobuf } from "./envelope.ts";
export { findMessage, type KindName } from "./kinds.ts";
export type { Field, Message } from "./message.ts";
