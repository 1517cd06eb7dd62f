// Creates the node's own Node object with the node's certificate, as a kubelet does at its first start. Its conditions
// say that no kubelet has reported: a scheduler must not send work to a machine that only holds a certificate.

import type { Node, NodeAddress } from "../../api/core/index.ts";
import { NODES } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";

interface RegisterOptions {
  readonly client: KubeClient;
  readonly nodeName: string;
  readonly addresses: readonly NodeAddress[];
  readonly nowMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** False when the Node was there already; it is left as it is, a kubelet may own it by now. */
export async function registerNode({ client, signal, timeoutMs, ...node }: RegisterOptions): Promise<boolean> {
  try {
    await client.create<Node>(NODES, buildNode(node), { signal, timeoutMs });
    return true;
  } catch (error) {
    if (isFault(error, "already-exists")) return false;
    throw error;
  }
}

function buildNode({ nodeName, addresses, nowMs }: Pick<RegisterOptions, "nodeName" | "addresses" | "nowMs">): Node {
  const now = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: nodeName, labels: hostnameLabel(nodeName) },
    spec: {},
    status: {
      addresses,
      conditions: [
        {
          type: "Ready",
          status: "False",
          reason: "NoKubelet",
          message: "the machine has joined; no kubelet has reported yet",
          lastHeartbeatTime: now,
          lastTransitionTime: now,
        },
      ],
    },
  };
}

/** A label's value ends at 63 characters, a node's name only at 253. */
function hostnameLabel(nodeName: string): Record<string, string> {
  return nodeName.length <= 63 ? { "kubernetes.io/hostname": nodeName } : {};
}
