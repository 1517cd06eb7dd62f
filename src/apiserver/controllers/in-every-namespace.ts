// What every active namespace has: the ServiceAccount `default`, and the ConfigMap by which pods verify this server.

import type { ConfigMap, Namespace } from "../../api/core/index.ts";
import { CONFIG_MAPS, NAMESPACES, type ObjectMeta, SERVICE_ACCOUNTS } from "../../api/meta/index.ts";
import { isSameJson } from "../../kernel/json/index.ts";
import { controllerUser, type InsideClient } from "./inside-client.ts";
import type { Controller } from "./loop.ts";

const DEFAULT_ACCOUNT = "default";

/**
 * Pods that name no service account run as `default`.
 * Behaviour of kubernetes/pkg/controller/serviceaccount/serviceaccounts_controller.go.
 */
export const defaultAccounts: Controller = {
  name: "service-accounts",
  user: controllerUser("service-account-controller"),
  watches: [
    { resource: NAMESPACES, keysOf: ({ object }) => [object.metadata.name ?? ""] },
    {
      resource: SERVICE_ACCOUNTS,
      keysOf: ({ type, object }) =>
        type === "DELETED" && object.metadata.name === DEFAULT_ACCOUNT ? [object.metadata.namespace ?? ""] : [],
    },
  ],
  look: async (namespace, client) => {
    if (!isActive(client, namespace)) return undefined;
    if (client.get(SERVICE_ACCOUNTS, { namespace, name: DEFAULT_ACCOUNT }) !== undefined) return undefined;
    await client.create(SERVICE_ACCOUNTS, {
      kind: "ServiceAccount",
      apiVersion: "v1",
      metadata: { name: DEFAULT_ACCOUNT, namespace },
    });
    return undefined;
  },
};

const ROOT_CA = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const TEXT =
  "The certificates that sign the serving certificate of this API server. " +
  "They are good for verifying it, and for nothing else.";

/**
 * Pods mount this ConfigMap beside their token.
 * Behaviour of kubernetes/pkg/controller/certificates/rootcacertpublisher.
 */
export function createRootCa(rootCaPem: string): Controller {
  const data = { "ca.crt": rootCaPem };
  return {
    name: "root-ca",
    user: controllerUser("root-ca-cert-publisher"),
    watches: [
      { resource: NAMESPACES, keysOf: ({ object }) => [object.metadata.name ?? ""] },
      {
        resource: CONFIG_MAPS,
        keysOf: ({ object }) => (object.metadata.name === ROOT_CA ? [object.metadata.namespace ?? ""] : []),
      },
    ],
    look: async (namespace, client) => {
      if (!isActive(client, namespace)) return undefined;
      const stored = client.get<ConfigMap>(CONFIG_MAPS, { namespace, name: ROOT_CA });
      if (stored === undefined) await client.create(CONFIG_MAPS, told({ name: ROOT_CA, namespace }, data));
      else if (!isRight(stored, data)) await client.update(CONFIG_MAPS, told(stored.metadata, data));
      return undefined;
    },
  };
}

function isActive(client: InsideClient, namespace: string): boolean {
  return client.get<Namespace>(NAMESPACES, { name: namespace })?.status?.phase === "Active";
}

function isRight(stored: ConfigMap, data: ConfigMap["data"]): boolean {
  return isSameJson(stored.data, data) && (stored.metadata.annotations?.[DESCRIPTION] ?? "") !== "";
}

/** Foreign annotations stay; foreign keys do not, because pods mount all keys. */
function told(metadata: ObjectMeta, data: ConfigMap["data"]): ConfigMap {
  const annotations = { ...metadata.annotations, [DESCRIPTION]: TEXT };
  return { kind: "ConfigMap", apiVersion: "v1", metadata: { ...metadata, annotations }, data: data ?? {} };
}
