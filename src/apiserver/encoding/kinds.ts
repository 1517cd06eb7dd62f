// Kind and apiVersion -> the message that stands for it on the wire.

import { API_GROUPS } from "../resources/groups/index.ts";
import { FORMS, SPECIAL_MESSAGES } from "./forms.ts";
import type { Message } from "./message.ts";
import { createMessageTables } from "./notation.ts";

export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

const TABLES = createMessageTables({
  packages: new Map(API_GROUPS.map(({ packageName, messages }) => [packageName, messages])),
  special: SPECIAL_MESSAGES,
  forms: FORMS,
});

const PACKAGE_OF = new Map(API_GROUPS.map(({ apiVersion, packageName }) => [apiVersion, packageName]));

/** These are kinds of every group and version, also of those that have no messages of their own. */
const EVERYWHERE: readonly string[] = ["DeleteOptions", "Status"];

/** Undefined for what has no protobuf form: custom resources, tables, discovery. */
export function findMessage({ apiVersion, kind }: KindName): Message | undefined {
  if (EVERYWHERE.includes(kind)) return TABLES.find("meta", kind);
  const packageName = PACKAGE_OF.get(apiVersion);
  const message = packageName === undefined ? undefined : TABLES.find(packageName, kind);
  // A part of a kind is no kind: every kind has metadata.
  return message?.fields.some((field) => field.name === "metadata") === true ? message : undefined;
}
