// What discovery finds: the cluster's address, the roots to trust there, and its id. And how discovery refuses.

import type { KubeconfigUser } from "../../api/kubeconfig/index.ts";
import { type Deny, deny, Fault } from "../../kernel/outcome/index.ts";

export interface DiscoveredCluster {
  /** From the document that was proved, not from the command line: everything after discovery goes there. */
  readonly server: string;
  /** All its addresses, in the order to try; `server` is the first that answered, or the first of all. */
  readonly servers: readonly string[];
  /** Every root that vouches for it. With `usesSystemRoots` this machine's own are among them. */
  readonly caPem: string;
  /** The roots of the document alone; empty when it left the choice to the machine. For a kubeconfig. */
  readonly documentCaPem: string;
  readonly usesSystemRoots: boolean;
  /** The certificates that must vouch for the connection that proves the document: the pinned ones, or all. */
  readonly anchorsPem: string;
  readonly clusterId: string | undefined;
  /** The name in the servers' certificates, where it is not that of the address. */
  readonly tlsServerName: string | undefined;
  /** The document, byte for byte. */
  readonly kubeconfigText: string;
  /** Only from a file that carries an identity, when the user asked for it. */
  readonly user: KubeconfigUser | undefined;
}

/** A refusal of discovery as a value: the rule that does not hold, and what to do about it. */
export function refuse(rule: string, message: string): Deny {
  return deny({ rule, reason: "Untrusted", message });
}

export function untrusted({ rule, message }: Pick<Deny, "rule" | "message">, cause?: unknown): Fault {
  return new Fault("untrusted", message, { cause, detail: { check: rule } });
}
