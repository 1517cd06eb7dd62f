// Publishes the address of this server: the Endpoints and the EndpointSlice of the Service `kubernetes` in `default`.
// Written at every start, because the address may have changed. kube-apiserver does the same
// (kubernetes/pkg/controlplane/reconcilers).

import { isIP } from "node:net";
import type { EndpointSlice, Endpoints } from "../api/core/index.ts";
import type { KubeObject } from "../api/meta/index.ts";
import { isSameJson } from "../kernel/json/index.ts";
import { isFault } from "../kernel/outcome/index.ts";
import { endpointSliceStrategy, endpointsStrategy } from "./resources/kinds/network/endpoints.ts";
import type { Strategy } from "./resources/strategy.ts";
import { keyOf } from "./storage/key.ts";
import type { Storage } from "./storage/storage.ts";

interface Place {
  readonly address: string;
  readonly port: number;
}

interface EndpointsWriter {
  readonly storage: Storage;
  readonly asNew: (object: KubeObject) => KubeObject;
}

export async function publishEndpoints(place: Place, writer: EndpointsWriter): Promise<void> {
  await Promise.all([
    put(endpointsStrategy as unknown as Strategy, endpointsOf(place), writer),
    put(endpointSliceStrategy as unknown as Strategy, sliceOf(place), writer),
  ]);
}

const NAME = { name: "kubernetes", namespace: "default" };

/** The label keeps the controller away that copies Endpoints into EndpointSlices: the slice exists already. */
function endpointsOf({ address, port }: Place): Endpoints {
  return {
    kind: "Endpoints",
    apiVersion: "v1",
    metadata: { ...NAME, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: address }], ports: [{ name: "https", port, protocol: "TCP" }] }],
  };
}

function sliceOf({ address, port }: Place): EndpointSlice {
  return {
    kind: "EndpointSlice",
    apiVersion: "discovery.k8s.io/v1",
    metadata: { ...NAME, labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: isIP(address) === 6 ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: "https", port, protocol: "TCP" }],
  };
}

async function put(strategy: Strategy, object: KubeObject, { storage, asNew }: EndpointsWriter): Promise<void> {
  const key = keyOf(strategy.resource, NAME);
  const facts = { user: { username: "", groups: [] }, nowMs: 0, list: () => [] };
  const made = strategy.prepareCreate(asNew(object), facts);
  const current = storage.get(key);
  try {
    if (current === undefined) await storage.create(key, made);
    else {
      const next = { ...made, metadata: current.object.metadata };
      if (!isSameJson(next, current.object)) await storage.update(key, next, current.revision);
    }
  } catch (error) {
    // Nothing else writes these at the start; another writer's version is kept.
    if (!isFault(error, "already-exists") && !isFault(error, "conflict")) throw error;
  }
}
