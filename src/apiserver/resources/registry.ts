// All kinds this server serves, in the order of discovery: those built in (groups/), then those made from stored
// definitions (custom/), which come and go while the server runs.

import { apiVersionOf, type Resource } from "../../api/meta/index.ts";
import { prefixOf } from "../storage/key.ts";
import type { PostedCollection } from "./api-group.ts";
import { API_GROUPS } from "./groups/index.ts";
import type { Review } from "./review.ts";
import type { CreateSubresource, Strategy, Subresource } from "./strategy.ts";

/**
 * The target of a request: a stored kind (or a subresource of it), a subresource that is only posted to, or a review.
 */
export type Endpoint =
  | { readonly kind: "stored"; readonly strategy: Strategy; readonly subresource: Subresource | undefined }
  | { readonly kind: "posted"; readonly strategy: Strategy; readonly subresource: CreateSubresource }
  | { readonly kind: "review"; readonly review: Review };

const STRATEGIES: readonly Strategy[] = API_GROUPS.flatMap(({ kinds = [] }) => kinds);
const REVIEWS: readonly Review[] = API_GROUPS.flatMap(({ reviews = [] }) => reviews);
const POSTED: readonly PostedCollection[] = API_GROUPS.flatMap(({ posted = [] }) => posted);

const BUILT_IN_VERSIONS: ReadonlySet<string> = new Set(
  [...STRATEGIES, ...REVIEWS].map(({ resource }) => `${resource.group}/${resource.version}`),
);

const BUILT_IN_PREFIXES: ReadonlySet<string> = new Set(STRATEGIES.map(({ resource }) => prefixOf(resource)));

/** What a path asks for; empty where it names nothing. */
interface Asked {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Resource, name, subresource and whatever follows. */
  readonly parts: readonly string[];
}

/** What is served at this moment. Asked by every request, so every answer is one lookup in a map. */
export interface Registry {
  /** Every stored kind, each served version of it, in the order of discovery. */
  strategies(): readonly Strategy[];
  reviews(): readonly Review[];
  posted(): readonly PostedCollection[];
  /** Undefined when nothing is served there. */
  find(asked: Asked): Endpoint | undefined;
  /** As an owner reference names it. */
  ofKind(apiVersion: string, kind: string): Strategy | undefined;
  /** The kind whose objects are under this prefix of storage; of several versions, any. */
  keptUnder(prefix: string): Strategy | undefined;
  /** The custom kind whose object a path names, when the path continues to a subresource that it does not have. */
  kindWithout(asked: Asked): Resource | undefined;
  /** True when there are built-in kinds in this version: the message for an unknown path depends on it. */
  isServedVersion(group: string, version: string): boolean;
  /** Counts the changes of the set of kinds: documents made from it are valid until the number changes. */
  generation(): number;
}

/** The registry for follow-definitions.ts, which defines the custom kinds. */
export interface DefinableRegistry extends Registry {
  /**
   * All kinds of one definition, one for each served version; an empty list removes them. A kind with the names of a
   * built-in one is not served: their objects would be mixed.
   */
  define(definition: string, kinds: readonly Strategy[]): void;
}

interface Index {
  readonly strategies: readonly Strategy[];
  readonly byPath: ReadonlyMap<string, Strategy>;
  readonly byKind: ReadonlyMap<string, Strategy>;
  readonly byPrefix: ReadonlyMap<string, Strategy>;
}

export function createRegistry(): DefinableRegistry {
  const reviews = new Map(REVIEWS.map((review) => [pathOf(review.resource), review]));
  const defined = new Map<string, readonly Strategy[]>();
  let index = indexOf(STRATEGIES);
  let generation = 0;
  return {
    strategies: () => index.strategies,
    reviews: () => REVIEWS,
    posted: () => POSTED,
    find: (asked) => {
      if (asked.parts.length > 3) return undefined;
      const path = `${asked.group}/${asked.version}/${asked.resource}`;
      const review = reviews.get(path);
      if (review !== undefined) {
        const isThere = asked.parts.length === 1 && fitsScope(review.resource, asked);
        return isThere ? { kind: "review", review } : undefined;
      }
      const posted = POSTED.find(({ resource }) => pathOf(resource) === path);
      if (posted === undefined) return endpointOf(index.byPath.get(path), asked);
      const { strategy, subresource } = posted;
      return asked.parts.length === 1 ? { kind: "posted", strategy, subresource } : undefined;
    },
    ofKind: (apiVersion, kind) => index.byKind.get(`${apiVersion} ${kind}`),
    keptUnder: (prefix) => index.byPrefix.get(prefix),
    kindWithout: (asked) => {
      const strategy = index.byPath.get(`${asked.group}/${asked.version}/${asked.resource}`);
      const isBeyond = asked.subresource !== "" && asked.parts.length === 3;
      return isBeyond && strategy?.custom !== undefined ? strategy.resource : undefined;
    },
    isServedVersion: (group, version) => BUILT_IN_VERSIONS.has(`${group}/${version}`),
    generation: () => generation,
    define: (definition, made) => {
      const kinds = made.filter(({ resource }) => !BUILT_IN_PREFIXES.has(prefixOf(resource)));
      if (kinds.length === 0 && !defined.has(definition)) return;
      if (kinds.length === 0) defined.delete(definition);
      else defined.set(definition, kinds);
      index = indexOf([...STRATEGIES, ...[...defined].sort(byName).flatMap(([, all]) => all)]);
      generation += 1;
    },
  };
}

function indexOf(strategies: readonly Strategy[]): Index {
  const own = strategies.filter(({ face, resource }) => (face?.of ?? resource).group === resource.group);
  return {
    strategies,
    byPath: new Map(strategies.map((one) => [pathOf(one.resource), one])),
    byKind: new Map(strategies.map((one) => [`${apiVersionOf(one.resource)} ${one.resource.kind}`, one])),
    byPrefix: new Map(own.map((one) => [prefixOf(one.resource), one])),
  };
}

/** Discovery lists custom kinds by name. */
function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function pathOf({ group, version, plural }: Resource): string {
  return `${group}/${version}/${plural}`;
}

function endpointOf(strategy: Strategy | undefined, asked: Asked): Endpoint | undefined {
  if (strategy === undefined || !fitsScope(strategy.resource, asked)) return undefined;
  if (asked.subresource === "") return { kind: "stored", strategy, subresource: undefined };
  const subresource = strategy.subresources.find((one) => one.name === asked.subresource);
  if (subresource !== undefined) return { kind: "stored", strategy, subresource };
  const posted = strategy.creates.find((one) => one.name === asked.subresource);
  return posted === undefined ? undefined : { kind: "posted", strategy, subresource: posted };
}

/** `/namespaces/x/nodes` does not exist; for `/namespaces/x` the namespace is x itself. */
function fitsScope(resource: Resource, asked: Asked): boolean {
  if (resource.namespaced) return asked.namespace !== "" || asked.parts.length === 1;
  if (asked.namespace === "") return true;
  // `/namespaces/x/namespaces/y` would be authorized by bindings in x and act on y.
  return resource.plural === "namespaces" && asked.parts[1] === asked.namespace;
}
