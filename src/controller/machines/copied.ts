// Machines in the copies of their kinds, by the words under which they are kept: nobody walks over all of them.

import type { Machine } from "../../api/foreign/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import type { Informer } from "../../platform/kube/index.ts";
import { type KnownMachine, NAME_INDEX, nameKey, PLACE_INDEX } from "./known-machine.ts";
import { hasPlaceIn, isInScope, type Scope } from "./match.ts";

/** Of each kind that is served. */
export type Copies = readonly Pick<Informer<KnownMachine>, "byIndex" | "indexValues">[];

/** Those with exactly this provider ID; absent where the scope has no Machine at all. */
export function machinesByProviderId(copies: Copies, providerId: string, scope: Scope): Seen<readonly Machine[]> {
  if (!hasPlaceIn(placesOf(copies), scope)) return { kind: "Absent" };
  const found = byIndex(copies, NAME_INDEX, nameKey("ProviderID", providerId));
  return { kind: "Present", value: found.filter((machine) => isInScope(machine, scope)) };
}

/** A handful of words, however many Machines there are. */
export function placesOf(copies: Copies): readonly string[] {
  return copies.flatMap((copy) => Array.from(copy.indexValues(PLACE_INDEX), ([place]) => place));
}

export function byIndex(copies: Copies, index: string, value: string): readonly Machine[] {
  return copies.flatMap((copy) => copy.byIndex(index, value).map(({ machine }) => machine));
}
