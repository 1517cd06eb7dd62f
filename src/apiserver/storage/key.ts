// The key of an object: `/<group>/<plural>/<namespace or empty>/<name>`. The first two segments name the resource, so
// that one resource is one contiguous range of keys and one bucket of the index.

import type { Resource } from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";

/**
 * lmdb takes 1,978 bytes at a 4 KiB page; the longest names Kubernetes allows (253 + 253 + 63 + 253) stay far below.
 */
const MAX_KEY_BYTES = 1_024;

/** Control characters and lone surrogates would not survive the way to the disk and back. */
const CLEAN_KEY = /^\/[^\p{Cc}\p{Cs}]*$/u;

/** The prefix of one resource, or of one namespace of it. */
export function prefixOf(resource: Resource, namespace?: string): string {
  const prefix = `/${segment(resource.group)}/${segment(resource.plural)}/`;
  return namespace === undefined ? prefix : `${prefix}${segment(namespace)}/`;
}

export function keyOf(resource: Resource, place: { readonly namespace?: string | undefined; name: string }): string {
  return `${prefixOf(resource, place.namespace ?? "")}${segment(place.name)}`;
}

/** A slash inside a name would move the object into another namespace's range. */
function segment(text: string): string {
  if (text.includes("/")) throw new Fault("malformed", `key segment ${JSON.stringify(text)} must not contain a slash`);
  return text;
}

export function checkKey(key: string): void {
  if (!CLEAN_KEY.test(key)) {
    throw new Fault("malformed", "storage key must start with a slash and hold no control characters");
  }
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw new Fault("limit-exceeded", `storage key is longer than ${MAX_KEY_BYTES} bytes`);
  }
}

/** `/<group>/<plural>/` of a key or a longer prefix; undefined when the prefix ends before that. */
export function bucketOf(keyOrPrefix: string): string | undefined {
  const afterGroup = keyOrPrefix.indexOf("/", 1);
  if (afterGroup === -1) return undefined;
  const afterPlural = keyOrPrefix.indexOf("/", afterGroup + 1);
  return afterPlural === -1 ? undefined : keyOrPrefix.slice(0, afterPlural + 1);
}
