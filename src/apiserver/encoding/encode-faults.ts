// JSON that does not fit its message, in the words of Go's decoder. The path is completed on the way out.

import { Fault, isFault } from "../../kernel/outcome/index.ts";

export function mistyped(value: unknown, wanted: string): Fault {
  return new Fault("malformed", `json: cannot unmarshal ${jsonType(value)} into Go struct field`, {
    detail: { path: "", wanted },
  });
}

/** The same fault with one more step of its path. */
export function within(error: unknown, name: string): unknown {
  if (!isFault(error, "malformed") || error.detail["wanted"] === undefined) return error;
  const path = `${name}${String(error.detail["path"])}`;
  return new Fault("malformed", error.message, { detail: { ...error.detail, path } });
}

/** The message of `mistyped` with its path. */
export function problemText(fault: Fault): string {
  const { path = "", wanted = "" } = fault.detail;
  return `${fault.message} ${String(path)} of type ${String(wanted)}`;
}

function jsonType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
