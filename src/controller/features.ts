// The loops of the controller by name, each with what it waits for before it starts. `--controllers` chooses among them as
// kube-controller-manager's flag does: `*` all, `name` this one, `-name` not this one.

import { Fault } from "../kernel/outcome/index.ts";
import type { Loop } from "./loop/index.ts";

export const CONTROLLER_NAMES = [
  "approving",
  "signing",
  "cleaning",
  "cluster-info",
  "token-cleaning",
  "lockdown",
  "attestation",
] as const;
export type ControllerName = (typeof CONTROLLER_NAMES)[number];

export interface Feature {
  readonly name: ControllerName;
  readonly loop: Loop;
  readonly needs: readonly Syncing[];
}

export interface Syncing {
  hasSynced(): boolean;
  waitForSync(signal?: AbortSignal): Promise<void>;
}

/** Fault `bad-config` for a name that does not exist, or for none left. Where a word stands does not matter. */
export function chooseControllers(text: string): readonly ControllerName[] {
  const words = new Set(text.split(",").map((word) => word.trim()));
  for (const word of words) requireKnown(word);
  const chosen = CONTROLLER_NAMES.filter((name) => (words.has("*") || words.has(name)) && !words.has(`-${name}`));
  if (chosen.length === 0) throw new Fault("bad-config", "--controllers leaves no controller to run");
  return chosen;
}

function requireKnown(word: string): void {
  const isKnown = word === "*" || CONTROLLER_NAMES.some((name) => word === name || word === `-${name}`);
  if (isKnown) return;
  const all = CONTROLLER_NAMES.join(", ");
  throw new Fault("bad-config", `--controllers names ${JSON.stringify(word)}; there are ${all}, and * for all`);
}
