// Marks nodes unreachable that stop renewing their Lease and status. A node whose certificate has expired cannot report
// that it is not ready.

import type { Lease, Node } from "../../../api/core/index.ts";
import { type KubeObject, LEASES, NODES } from "../../../api/meta/index.ts";
import { isSameJson } from "../../../kernel/json/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import type { Change } from "../../storage/storage.ts";
import { controllerUser } from "../inside-client.ts";
import type { Controller } from "../loop.ts";
import { planNode } from "./plan.ts";

const LEASE_NAMESPACE = "kube-node-lease";

export function createNodeLifecycle(clock: Pick<Clock, "now">): Controller {
  /** Node name -> time of its last heartbeat. Stored nodes count as heard at the start of this process. */
  const heard = new Map<string, number>();
  const hear = (name: string) => {
    heard.set(name, clock.now());
    return [name];
  };
  return {
    name: "node-lifecycle",
    user: controllerUser("node-controller"),
    watches: [
      {
        resource: NODES,
        keysOf: (change) => {
          const name = change.object.metadata.name ?? "";
          if (change.type === "DELETED") heard.delete(name);
          else if (isPosted(change)) hear(name);
          return [name];
        },
      },
      {
        resource: LEASES,
        keysOf: (change) => {
          const { name = "", namespace } = change.object.metadata;
          if (namespace !== LEASE_NAMESPACE || change.type === "DELETED" || !isRenewed(change)) return [];
          return hear(name);
        },
      },
    ],
    look: async (name, client, nowMs) => {
      const node = client.get<Node>(NODES, { name });
      if (node === undefined) return undefined;
      const { conditions, taints, againAfterMs } = planNode({ node, heardMs: heard.get(name) ?? nowMs, nowMs });
      if (conditions !== undefined)
        await client.patch(NODES, { name, subresource: "status" }, { status: { conditions } });
      if (taints !== undefined) await client.patch(NODES, { name }, { spec: { taints } });
      return againAfterMs;
    },
  };
}

/** True for a status of the kubelet, which has a new heartbeat, not for one of this loop. */
function isPosted({ type, object, previous }: Change): boolean {
  return type === "ADDED" || !isSameJson(heartbeats(object), heartbeats(previous));
}

function heartbeats(object: KubeObject | undefined): readonly unknown[] {
  const { conditions = [] } = (object as Node | undefined)?.status ?? {};
  return conditions.map(({ type, lastHeartbeatTime }) => [type, lastHeartbeatTime]);
}

function isRenewed({ object, previous }: Change): boolean {
  return (object as Lease).spec?.renewTime !== (previous as Lease | undefined)?.spec?.renewTime;
}
