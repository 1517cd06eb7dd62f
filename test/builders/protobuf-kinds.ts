// Every kind that has a protobuf form here: what the API server stores, what it answers, and what it is asked with.

import type { KindName } from "../../src/apiserver/encoding/index.ts";
import { API_GROUPS } from "../../src/apiserver/resources/groups/index.ts";

/** Bodies and answers of requests: they are no kinds of a group that is served. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  v1: ["Binding", "Status", "DeleteOptions"],
  "authentication.k8s.io/v1": ["TokenRequest"],
  "autoscaling/v1": ["Scale"],
  "meta.k8s.io/v1": ["PartialObjectMetadata", "PartialObjectMetadataList"],
  "meta.k8s.io/v1beta1": ["PartialObjectMetadata", "PartialObjectMetadataList"],
  "policy/v1": ["Eviction"],
};

export const PROTOBUF_KINDS: readonly KindName[] = API_GROUPS.flatMap(({ apiVersion, kinds = [], reviews = [] }) => {
  const stored = kinds.flatMap(({ resource: { kind } }) => [kind, `${kind}List`]);
  const asked = reviews.map(({ resource }) => resource.kind);
  return [...stored, ...asked, ...(MORE[apiVersion] ?? [])].map((kind) => ({ apiVersion, kind }));
});
