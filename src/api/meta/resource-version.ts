// resourceVersions on the wire: decimal, without leading zeros; "0" in a request means "any". Clients compare them as numbers.

import { Fault } from "../../kernel/outcome/index.ts";

/** 20 digits hold any unsigned 64-bit number, which is what an API server accepts. */
const VERSION = /^(?:0|[1-9][0-9]{0,19})$/;

/**
 * Empty text is 0, as an absent parameter is. A number too large to be exact comes from another cluster and is in the future
 * for us either way, so it becomes the largest one we can count. Fault `malformed`.
 */
export function parseResourceVersion(text: string): number {
  if (text === "") return 0;
  if (!VERSION.test(text)) {
    throw new Fault("malformed", `resourceVersion ${JSON.stringify(text.slice(0, 32))} must be a decimal number`);
  }
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
