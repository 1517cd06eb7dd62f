// A certificate in the store that is in force and another node's. Nobody moves it aside: that node would be out of service, for a name
// that was mistyped or a directory that was mistaken. One that is over has nothing to lose. Alone in its file: the exec plugin looks too.

import { NODE_USER_PREFIX } from "../../api/certificates/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { CurrentPair } from "./current.ts";

export interface OthersPair {
  /** `node worker-7`, or the name in quotes where it is no node's. */
  readonly whose: string;
  readonly until: string;
}

export interface OwnName {
  readonly nodeName: string;
  readonly nowMs: number;
}

export function findOthers(found: CurrentPair, { nodeName, nowMs }: OwnName): OthersPair | undefined {
  if (found.kind !== "present") return undefined;
  const { commonName, notAfterMs } = found.pair;
  if (commonName === `${NODE_USER_PREFIX}${nodeName}` || nowMs >= notAfterMs) return undefined;
  return { whose: whoIs(commonName), until: new Date(notAfterMs).toISOString() };
}

export function requireNoOthers(found: CurrentPair, { directory, ...own }: OwnName & { readonly directory: string }) {
  const others = findOthers(found, own);
  if (others === undefined) return;
  const { whose, until } = others;
  const message = `the certificate in ${directory} is ${whose}'s, not ${own.nodeName}'s, and good until ${until}`;
  throw new Fault("bad-config", message, { detail: { todo: "give the --node-name it has, or another directory" } });
}

function whoIs(commonName: string): string {
  if (!commonName.startsWith(NODE_USER_PREFIX)) return JSON.stringify(commonName);
  return `node ${commonName.slice(NODE_USER_PREFIX.length)}`;
}
