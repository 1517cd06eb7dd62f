// Kind and apiVersion -> the message that stands for it on the wire.

import { FORMS, SPECIAL_MESSAGES } from "./forms.ts";
import type { Message } from "./message.ts";
import { PACKAGE_OF, PACKAGES } from "./messages/index.ts";
import { createMessageTables } from "./notation.ts";

export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

const TABLES = createMessageTables({ packages: PACKAGES, special: SPECIAL_MESSAGES, forms: FORMS });

/** These are kinds of every group and version, also of those that have no messages of their own. */
const EVERYWHERE: readonly string[] = ["DeleteOptions", "Status"];

/** Undefined for what has no protobuf form: custom resources, tables, discovery. */
export function findMessage({ apiVersion, kind }: KindName): Message | undefined {
  if (EVERYWHERE.includes(kind)) return TABLES.find("meta", kind);
  const packageName = Object.hasOwn(PACKAGE_OF, apiVersion) ? PACKAGE_OF[apiVersion] : undefined;
  const message = packageName === undefined ? undefined : TABLES.find(packageName, kind);
  // A part of a kind is no kind: every kind has metadata.
  return message?.fields.some((field) => field.name === "metadata") === true ? message : undefined;
}
