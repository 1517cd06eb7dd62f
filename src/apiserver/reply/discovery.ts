// What this server serves, in the two forms clients ask for: legacy (one document for each group and version) and
// aggregated (everything at once). Both are made from the registry of kinds, so they cannot drift from it.

import { apiVersionOf, type Resource } from "../../api/meta/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import type { Registry } from "../resources/registry.ts";
import type { Strategy } from "../resources/strategy.ts";
import { compareVersions } from "../resources/version-priority.ts";

interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** The kind of its bodies: mostly that of its parent. */
  readonly resource: Resource;
}

interface Served {
  readonly resource: Resource;
  /** The kind and version in which its objects are kept; absent for what is not stored. */
  readonly keptAs?: Resource;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly ServedSubresource[];
}

function servedStrategy(strategy: Strategy): Served {
  const { resource } = strategy;
  const subresources = [
    ...strategy.subresources.map((one) => ({
      name: one.name,
      verbs: one.verbs,
      resource: one.speaks?.resource ?? resource,
    })),
    ...strategy.creates.map((one) => ({ name: one.name, verbs: ["create"], resource: one.resource })),
  ];
  return { ...strategy, keptAs: strategy.face?.of ?? resource, subresources };
}

function served(registry: Registry): readonly Served[] {
  const createdOnly = ({ resource }: { readonly resource: Resource }): Served => {
    const none = { shortNames: [], categories: [], subresources: [] };
    return { resource, singular: resource.kind.toLowerCase(), verbs: ["create"], ...none };
  };
  const posted = registry.posted().map(createdOnly);
  const reviews = registry.reviews().map(createdOnly);
  return [...registry.strategies().map(servedStrategy), ...posted, ...reviews];
}

type Versions = ReadonlyMap<string, readonly Served[]>;

/** Group -> version -> kinds; the preferred version first. */
function byGroup(registry: Registry): ReadonlyMap<string, Versions> {
  const groups = new Map<string, Map<string, Served[]>>();
  for (const one of served(registry)) {
    const { group, version } = one.resource;
    const versions = groups.get(group) ?? new Map<string, Served[]>();
    versions.set(version, [...(versions.get(version) ?? []), one]);
    groups.set(group, versions);
  }
  const sorted = [...groups].map(([group, versions]): [string, Versions] => {
    return [group, new Map([...versions].sort(([a], [b]) => compareVersions(a, b)))];
  });
  return new Map(sorted);
}

export function aggregatedDiscovery(registry: Registry, root: "api" | "apis"): unknown {
  const groups = [...byGroup(registry)].filter(([group]) => (group === "") === (root === "api"));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(([group, versions]) => ({
      metadata: group === "" ? {} : { name: group },
      versions: [...versions].map(([version, kinds]) => {
        return { version, freshness: "Current", resources: kinds.map(aggregatedResource) };
      }),
    })),
  };
}

function aggregatedResource({ resource, singular, verbs, subresources, ...names }: Served): unknown {
  return {
    resource: resource.plural,
    responseKind: kindOf(resource),
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...givenNames(names),
    ...(subresources.length === 0 ? {} : { subresources: subresources.map(aggregatedSubresource) }),
  };
}

function aggregatedSubresource({ name, resource, verbs }: ServedSubresource): unknown {
  return { subresource: name, responseKind: kindOf(resource), verbs };
}

function kindOf({ group, version, kind }: Resource) {
  return { group, version, kind };
}

function givenNames({ shortNames, categories }: Pick<Served, "shortNames" | "categories">) {
  return { ...(shortNames.length === 0 ? {} : { shortNames }), ...(categories.length === 0 ? {} : { categories }) };
}

export function legacyVersions(host: string): unknown {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress: host }];
  return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs };
}

export function legacyGroups(registry: Registry): unknown {
  const groups = [...byGroup(registry)].filter(([group]) => group !== "").map(([group, of]) => groupEntry(group, of));
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

export function legacyGroup(registry: Registry, group: string): unknown {
  const versions = group === "" ? undefined : byGroup(registry).get(group);
  return versions === undefined ? undefined : { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group, versions) };
}

function groupEntry(group: string, of: Versions) {
  const versions = [...of.keys()].map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions, preferredVersion: versions[0] };
}

export function legacyResources(registry: Registry, group: string, version: string): unknown {
  const kinds = byGroup(registry).get(group)?.get(version);
  if (kinds === undefined) return undefined;
  const groupVersion = group === "" ? version : `${group}/${version}`;
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: kinds.flatMap(legacyResource) };
}

function legacyResource(served: Served): readonly unknown[] {
  const { resource, singular, verbs, subresources, keptAs } = served;
  const { plural, namespaced, kind } = resource;
  const hash = keptAs === undefined ? {} : { storageVersionHash: storageVersionHash(keptAs) };
  return [
    { name: plural, singularName: singular, namespaced, kind, verbs, ...givenNames(served), ...hash },
    ...subresources.map((one) => ({
      name: `${plural}/${one.name}`,
      singularName: "",
      namespaced,
      ...(apiVersionOf(one.resource) === apiVersionOf(resource)
        ? {}
        : { group: one.resource.group, version: one.resource.version }),
      kind: one.resource.kind,
      verbs: one.verbs,
    })),
  ];
}

/**
 * By it a migration tool sees that objects are kept in another version than before.
 * k8s.io/apiserver/pkg/endpoints/discovery.
 */
function storageVersionHash({ group, version, kind }: Resource): string {
  return encodeBase64(sha256(encodeUtf8(`${group}/${version}/${kind}`)).subarray(0, 8));
}
