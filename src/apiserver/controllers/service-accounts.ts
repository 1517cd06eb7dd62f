// Every living namespace has a service account `default`, because pods that name none run as it.
// Behaviour of kubernetes/pkg/controller/serviceaccount/serviceaccounts_controller.go.

import type { Namespace } from "../../api/core/index.ts";
import { NAMESPACES, SERVICE_ACCOUNTS } from "../../api/meta/index.ts";
import { controllerUser } from "./inside-client.ts";
import type { Controller } from "./loop.ts";

const NAME = "default";

export const serviceAccounts: Controller = {
  name: "service-accounts",
  user: controllerUser("service-account-controller"),
  watches: [
    { resource: NAMESPACES, keysOf: ({ object }) => [object.metadata.name ?? ""] },
    {
      resource: SERVICE_ACCOUNTS,
      keysOf: ({ type, object }) =>
        type === "DELETED" && object.metadata.name === NAME ? [object.metadata.namespace ?? ""] : [],
    },
  ],
  look: async (namespace, client) => {
    const home = client.get<Namespace>(NAMESPACES, { name: namespace });
    if (home?.status?.phase !== "Active") return undefined;
    if (client.get(SERVICE_ACCOUNTS, { namespace, name: NAME }) !== undefined) return undefined;
    await client.create(SERVICE_ACCOUNTS, {
      kind: "ServiceAccount",
      apiVersion: "v1",
      metadata: { name: NAME, namespace },
    });
    return undefined;
  },
};
