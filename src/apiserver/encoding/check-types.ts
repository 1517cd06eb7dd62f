// Does a JSON object fit the message of its kind? Asked when it comes in, so that whatever is stored can be told to the
// clients that read protobuf: one object that cannot would spoil every list it is in.

import type { Json } from "../../kernel/json/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { problemText, within } from "./encode-faults.ts";
import { encodeMessage } from "./encode-message.ts";
import { findMessage, type KindName } from "./kinds.ts";
import { createWriter } from "./wire-writer.ts";

/** What does not fit, in the words of Go's decoder; undefined when everything does, or when the kind has no message. */
export function typeProblem(value: Json, expected: KindName): string | undefined {
  const message = findMessage(expected);
  if (message === undefined) return undefined;
  try {
    encodeMessage(createWriter(), message, value);
    return undefined;
  } catch (error) {
    const told = within(error, expected.kind);
    if (!isFault(told, "malformed")) throw error;
    return problemText(told);
  }
}
