export { encodeProtobuf, encodeProtobufEvent, parseProtobuf, typeProblem } from "./envelope.ts";
export { findMessage, type KindName } from "./kinds.ts";
export type { Message, MessageField } from "./message.ts";
