// What this server serves, in the two forms clients ask for: legacy (one document per group and version) and aggregated
// (everything at once). Both are made from the registry of kinds, so they cannot drift from it.

import type { Resource } from "../../api/meta/index.ts";
import { REVIEWS, STRATEGIES } from "../resources/registry.ts";
import type { Strategy } from "../resources/strategy.ts";

interface Served {
  readonly resource: Resource;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

function served(): readonly Served[] {
  const stored = STRATEGIES.map((strategy: Strategy): Served => strategy);
  const reviews = REVIEWS.map(({ resource }): Served => {
    return { resource, singular: resource.kind.toLowerCase(), shortNames: [], verbs: ["create"], subresources: [] };
  });
  return [...stored, ...reviews];
}

/** Group -> its kinds; every group here has the one version v1. */
function byGroup(): ReadonlyMap<string, readonly Served[]> {
  const groups = new Map<string, Served[]>();
  for (const one of served()) {
    const kinds = groups.get(one.resource.group) ?? [];
    kinds.push(one);
    groups.set(one.resource.group, kinds);
  }
  return groups;
}

const VERSION = "v1";

export function aggregatedDiscovery(root: "api" | "apis"): unknown {
  const groups = [...byGroup()].filter(([group]) => (group === "") === (root === "api"));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(([group, kinds]) => ({
      metadata: group === "" ? {} : { name: group },
      versions: [{ version: VERSION, freshness: "Current", resources: kinds.map(aggregatedResource) }],
    })),
  };
}

function aggregatedResource({ resource, singular, shortNames, verbs, subresources }: Served): unknown {
  const responseKind = { group: resource.group, version: resource.version, kind: resource.kind };
  return {
    resource: resource.plural,
    responseKind,
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(subresources.length === 0
      ? {}
      : { subresources: subresources.map((sub) => ({ subresource: sub.name, responseKind, verbs: sub.verbs })) }),
  };
}

export function legacyVersions(host: string): unknown {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress: host }];
  return { kind: "APIVersions", versions: [VERSION], serverAddressByClientCIDRs };
}

export function legacyGroups(): unknown {
  const groups = [...byGroup().keys()].filter((group) => group !== "").map(groupEntry);
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

export function legacyGroup(group: string): unknown {
  if (group === "" || !byGroup().has(group)) return undefined;
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group) };
}

function groupEntry(group: string) {
  const version = { groupVersion: `${group}/${VERSION}`, version: VERSION };
  return { name: group, versions: [version], preferredVersion: version };
}

export function legacyResources(group: string, version: string): unknown {
  const kinds = byGroup().get(group);
  if (kinds === undefined || version !== VERSION) return undefined;
  const groupVersion = group === "" ? version : `${group}/${version}`;
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: kinds.flatMap(legacyResource) };
}

function legacyResource({ resource, singular, shortNames, verbs, subresources }: Served): readonly unknown[] {
  const entry = { name: resource.plural, singularName: singular, namespaced: resource.namespaced, kind: resource.kind };
  return [
    { ...entry, verbs, ...(shortNames.length === 0 ? {} : { shortNames }) },
    ...subresources.map((sub) => ({
      ...entry,
      name: `${resource.plural}/${sub.name}`,
      singularName: "",
      verbs: sub.verbs,
    })),
  ];
}
