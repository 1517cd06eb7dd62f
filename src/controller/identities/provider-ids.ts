// Nodes that call themselves another machine (Threat model): a node that registers with a stranger's provider ID can
// capture that Machine's nodeRef in Cluster API. The write cannot be prevented from here; it is compared with the pin
// and told.

import type { Node } from "../../api/core/index.ts";
import type { NodeIdentity } from "../../api/countersign/index.ts";
import { raise } from "../judging/alarms.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";

const PROVIDER_ID_MISMATCH = "ProviderIdMismatch";

/** Where the platform has none, the machine names itself; its Node may then have any, or none. */
const NAMELESS_PLATFORM = "countersign:///";

/** Pure: the words, or undefined where Node and pin agree or one of them says nothing. */
export function providerIdMismatch({ spec, status }: NodeIdentity, node: Node | undefined): string | undefined {
  const [pinned, own] = [status?.providerId, node?.spec?.providerID];
  if (status?.phase !== "Active" || pinned === undefined || own === undefined || own === "") return undefined;
  if (own === pinned || pinned.startsWith(NAMELESS_PLATFORM)) return undefined;
  return `Node ${spec.nodeName} says provider ID ${JSON.stringify(own)}, and was attested with ${JSON.stringify(pinned)}`;
}

interface ProviderIdWatch {
  /** One look at all identities; each mismatch is told once. */
  look(): void;
  count(): number;
}

export function createProviderIdWatch(world: AttestationWorld): ProviderIdWatch {
  let told: ReadonlySet<string> = new Set();
  return {
    count: () => told.size,
    look: () => {
      const standing = new Set<string>();
      for (const identity of world.identities.list()) {
        const node = world.getNode(identity.spec.nodeName);
        const message = providerIdMismatch(identity, node);
        if (message === undefined || node === undefined) continue;
        standing.add(message);
        if (told.has(message)) continue;
        raise(world, node, { reason: PROVIDER_ID_MISMATCH, message, node: identity.spec.nodeName });
      }
      told = standing;
    },
  };
}
