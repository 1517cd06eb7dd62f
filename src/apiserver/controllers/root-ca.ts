// Every living namespace tells in ConfigMap kube-root-ca.crt how to verify this server: pods mount it beside their token.
// Behaviour of kubernetes/pkg/controller/certificates/rootcacertpublisher.

import type { ConfigMap, Namespace } from "../../api/core/index.ts";
import { CONFIG_MAPS, NAMESPACES, type ObjectMeta } from "../../api/meta/index.ts";
import { isSameJson } from "../../kernel/json/index.ts";
import { controllerUser } from "./inside-client.ts";
import type { Controller } from "./loop.ts";

const NAME = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const TEXT =
  "The certificates that sign the serving certificate of this API server. They are good for verifying it, and for nothing else.";

export function createRootCa(rootCaPem: string): Controller {
  const data = { "ca.crt": rootCaPem };
  return {
    name: "root-ca",
    user: controllerUser("root-ca-cert-publisher"),
    watches: [
      { resource: NAMESPACES, keysOf: ({ object }) => [object.metadata.name ?? ""] },
      {
        resource: CONFIG_MAPS,
        keysOf: ({ object }) => (object.metadata.name === NAME ? [object.metadata.namespace ?? ""] : []),
      },
    ],
    look: async (namespace, client) => {
      if (client.get<Namespace>(NAMESPACES, { name: namespace })?.status?.phase !== "Active") return undefined;
      const stored = client.get<ConfigMap>(CONFIG_MAPS, { namespace, name: NAME });
      if (stored === undefined) await client.create(CONFIG_MAPS, told({ name: NAME, namespace }, data));
      else if (!isRight(stored, data)) await client.update(CONFIG_MAPS, told(stored.metadata, data));
      return undefined;
    },
  };
}

function isRight(stored: ConfigMap, data: ConfigMap["data"]): boolean {
  return isSameJson(stored.data, data) && (stored.metadata.annotations?.[DESCRIPTION] ?? "") !== "";
}

/** Annotations of others stay; other keys do not, because pods mount them all. */
function told(metadata: ObjectMeta, data: ConfigMap["data"]): ConfigMap {
  const annotations = { ...metadata.annotations, [DESCRIPTION]: TEXT };
  return { kind: "ConfigMap", apiVersion: "v1", metadata: { ...metadata, annotations }, data: data ?? {} };
}
