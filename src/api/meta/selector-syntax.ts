// What may stand in a selector: the syntax of label keys and values (k8s.io/apimachinery/pkg/util/validation) and the limits.

import { Fault } from "../../kernel/outcome/index.ts";

/** Node refuses request headers above 16 KiB, so a longer selector cannot come in a query; it would be a mistake in a call. */
export const MAX_SELECTOR_LENGTH = 16_384;

const MAX_NAME_LENGTH = 63;
const MAX_PREFIX_LENGTH = 253;

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** `name` or `prefix/name`, the prefix a DNS subdomain. */
export function checkLabelKey(key: string): void {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  if (slash !== -1 && !isDnsSubdomain(key.slice(0, slash))) {
    throw new Fault("malformed", `label key ${JSON.stringify(key)} must have a DNS subdomain before the slash`);
  }
  if (!isName(name)) {
    throw new Fault(
      "malformed",
      `label key ${JSON.stringify(key)} must be at most ${MAX_NAME_LENGTH} letters, digits, '-', '_' or '.', with a letter or digit at both ends`,
    );
  }
}

export function checkLabelValue(value: string): void {
  if (value === "" || isName(value)) return;
  throw new Fault(
    "malformed",
    `label value ${JSON.stringify(value)} must be empty or at most ${MAX_NAME_LENGTH} letters, digits, '-', '_' or '.', with a letter or digit at both ends`,
  );
}

function isName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && NAME.test(text);
}

function isDnsSubdomain(text: string): boolean {
  return text.length <= MAX_PREFIX_LENGTH && DNS_SUBDOMAIN.test(text);
}

const MAX_INT64 = 9_223_372_036_854_775_807n;
const MIN_INT64 = -9_223_372_036_854_775_808n;

/** What Go's strconv.ParseInt(text, 10, 64) takes; the length is bounded so that no long number is ever built. */
export function isInt64(text: string): boolean {
  if (text.length > MAX_NAME_LENGTH || !/^-?[0-9]+$/.test(text)) return false;
  const value = BigInt(text);
  return value >= MIN_INT64 && value <= MAX_INT64;
}
