// What attestation does by the clock: keys rotate, the key for sealed evidence and, where a policy wants it, the beacon are published,
// identities whose Machine and Node are gone are retired, Nodes that call themselves another machine are told of, and Cluster API
// is told which signers there are.

import {
  EK_LABEL,
  NODE_IDENTITIES,
  type NodeIdentity,
  type NodeIdentityStatus,
} from "../../../api/countersign/index.ts";
import { isRevoked } from "../../../attestation/verifiers/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { Handler } from "../../loop/index.ts";
import type { Registration } from "../registration/index.ts";
import type { AttestationWorld } from "../world.ts";
import { type BeaconOptions, keepBeacon } from "./beacon.ts";
import type { ProviderIdWatch } from "./provider-ids.ts";
import { publishRecipient } from "./recipient.ts";

export const UPKEEP_KEY = "attestation";
/** A fifth of a beacon's epoch. */
const INTERVAL_MS = 60_000;

export interface UpkeepOptions extends BeaconOptions {
  readonly world: AttestationWorld;
  readonly nodesSynced: () => boolean;
  readonly providerIds: ProviderIdWatch;
  readonly register: Registration;
}

export function createUpkeep(options: UpkeepOptions): Handler {
  const { world } = options;
  let told: ReadonlySet<string> = new Set();
  return async () => {
    // Without our kinds there is nothing to keep up, and no key to make in a cluster that attests nobody.
    if (!world.identities.hasSynced() || world.identities.find("", undefined).kind === "NotRead")
      return { afterMs: INTERVAL_MS };
    await world.keys.upkeep();
    await keepBeacon(options);
    await publishRecipient(world);
    await world.limits.overflow.sweep();
    told = tellResets(world, told);
    options.providerIds.look();
    await options.register();
    if (world.machines.hasSynced() && options.nodesSynced()) await retire(world);
    return { afterMs: INTERVAL_MS };
  };
}

/** What an operator opened is in the audit trail once; returns what was told and still stands. */
function tellResets({ identities, log }: AttestationWorld, told: ReadonlySet<string>): ReadonlySet<string> {
  const standing = new Set<string>();
  for (const { metadata, spec } of identities.list()) {
    const { reset } = spec;
    if (reset === undefined) continue;
    const words = `${metadata.uid ?? ""} ${JSON.stringify(reset)}`;
    standing.add(words);
    if (told.has(words)) continue;
    const { until, clock = false } = reset;
    log.info("identity opened by an operator", {
      audit: true,
      identity: metadata.name,
      node: spec.nodeName,
      until,
      clock,
    });
  }
  return standing;
}

async function retire(world: AttestationWorld): Promise<void> {
  for (const identity of world.identities.list()) {
    const phase = nextPhase(world, identity);
    if (phase === undefined || phase === identity.status?.phase) continue;
    try {
      await turn(world, identity, phase);
    } catch (error) {
      // Somebody wrote it meanwhile: looked at again with the next round.
      if (!isFault(error, "conflict") && !isFault(error, "not-found")) throw error;
    }
  }
}

function nextPhase(world: AttestationWorld, identity: NodeIdentity): NodeIdentityStatus["phase"] {
  const { status, spec } = identity;
  if (isRevoked(identity)) return "Revoked";
  if (spec.retired === true) return "Retired";
  // Lifted by the operator.
  if (status?.phase === "Revoked") return status.attestedAt === undefined ? "Pending" : "Active";
  if (status?.machine === undefined || status.phase === "Retired") return status?.phase;
  if (world.machines.has(status.machine.uid, status.providerId)) return "Active";
  return world.getNode(spec.nodeName) === undefined ? "Retired" : "Retiring";
}

async function turn(
  world: AttestationWorld,
  identity: NodeIdentity,
  phase: NonNullable<NodeIdentityStatus["phase"]>,
): Promise<void> {
  const { name = "", uid, resourceVersion } = identity.metadata;
  const isOver = phase === "Retired" || phase === "Revoked";
  const certificates = (identity.status?.certificates ?? []).map((one) => (isOver ? { ...one, revoked: true } : one));
  const status = { ...identity.status, phase, certificates };
  await world.home.update(NODE_IDENTITIES, { ...identity, status }, { subresource: "status" });
  world.log.info("identity changed its phase", { audit: true, identity: name, node: identity.spec.nodeName, phase });
  // A retired node's TPM may serve another; a revoked one's may not.
  if (phase !== "Retired") return;
  const metadata = { uid, labels: { [EK_LABEL]: null } };
  await world.home.patch(NODE_IDENTITIES, { name }, { metadata }, { type: "merge" });
  world.log.debug("endorsement key let go", { identity: name, resourceVersion });
}
