// `countersign identity reset NODE`: the machine has a new board, or its TPM's clock went back. The pins are open for
// an hour. The named TPM stays the node's afterwards, as if it had been enrolled with it.

import { EK_LABEL, ekLabelOf, type NodeIdentity } from "../../../api/countersign/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { Command } from "../../command.ts";
import { KUBECONFIG_OPTION } from "../../connect.ts";
import { flagOption, OUTPUT_OPTION } from "../../options.ts";
import { CLUSTER_OPTION, EK_HASH_OPTION, ekHashOption, NODE_ARGUMENT } from "./arguments.ts";
import { change, type IdentityPatch } from "./change.ts";
import { isRetired, phaseOf, typedName } from "./describe.ts";
import { keyOf } from "./retire.ts";

/** Long enough to boot a machine with its new board, too short to be forgotten open. */
const OPEN_MS = 3_600_000;

export const identityReset: Command = {
  arguments: [NODE_ARGUMENT],
  options: [
    KUBECONFIG_OPTION,
    { flags: "--clock", description: "only the TPM's clock: its keys stay pinned" },
    {
      ...EK_HASH_OPTION,
      description: "the one endorsement key that may be pinned anew; needed where the node was enrolled with one",
    },
    CLUSTER_OPTION,
    OUTPUT_OPTION,
  ],
  examples: ["countersign identity reset worker-7 --ek-hash 5c1f…", "countersign identity reset worker-7 --clock"],
  run: (context, input) => {
    const wish: Wish = {
      until: new Date(context.clock.now() + OPEN_MS).toISOString(),
      isClock: flagOption(input.options, "clock"),
      ekSpkiSha256: ekHashOption(input.options),
    };
    return change(context, input, {
      plan: (identity) => planReset(identity, wish),
      said: (identity) => sayReset(identity, wish),
      // A retired node lives again by its reset, without the certificates from before.
      endsCertificates: (before) => isRetired(before),
    });
  },
};

interface Wish {
  readonly until: string;
  readonly isClock: boolean;
  readonly ekSpkiSha256: string | undefined;
}

function planReset(identity: NodeIdentity, wish: Wish): IdentityPatch {
  const planned = planOpening(identity, wish);
  if (!isRetired(identity)) return planned;
  return { ...(wish.isClock ? keyOf(identity) : {}), ...planned, spec: { ...planned.spec, retired: false } };
}

function planOpening({ spec }: NodeIdentity, { until, isClock, ekSpkiSha256 }: Wish): IdentityPatch {
  // Null, not left out: fields of an earlier reset must not stay.
  const reset = { until, clock: isClock ? true : null, ekSpkiSha256: ekSpkiSha256 ?? null };
  if (isClock) return { spec: { reset } };
  if (ekSpkiSha256 !== undefined)
    return {
      labels: { [EK_LABEL]: ekLabelOf(ekSpkiSha256) },
      spec: { reset, tpm: { ek: { spkiSha256: ekSpkiSha256 } } },
    };
  // The enrolment would keep every other TPM out, however open the pins are.
  if (spec.tpm !== undefined) {
    const expected = "name the new one, --ek-hash (countersign node tpm prints it)";
    throw new Fault("bad-config", `node ${spec.nodeName} was enrolled with its TPM: ${expected}`);
  }
  return { spec: { reset } };
}

function sayReset(identity: NodeIdentity, { until, isClock }: Wish): string {
  const { nodeName } = identity.spec;
  const opened = `may join anew until ${until}${isClock ? " with the TPM it has" : ""}`;
  return phaseOf(identity) === "Revoked"
    ? `node ${nodeName} is revoked; it ${opened} only if that is lifted: countersign identity revoke ${typedName(identity)} --lift`
    : `node ${nodeName} ${opened}`;
}
