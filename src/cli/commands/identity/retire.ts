// `countersign identity retire NODE`: the machine is gone for good. Its certificates are not renewed; its TPM and
// its name are free, also for a join that proves nothing, unless a JoinPolicy asks for proof.

import { EK_LABEL, ekLabelOf, type NodeIdentity } from "../../../api/countersign/index.ts";
import type { Command } from "../../command.ts";
import { KUBECONFIG_OPTION } from "../../connect.ts";
import { flagOption, OUTPUT_OPTION } from "../../options.ts";
import { CLUSTER_OPTION, NODE_ARGUMENT } from "./arguments.ts";
import { change, type IdentityPatch } from "./change.ts";
import { typedName } from "./describe.ts";

export const identityRetire: Command = {
  arguments: [NODE_ARGUMENT],
  options: [
    KUBECONFIG_OPTION,
    { flags: "--lift", description: "take it back: the name needs its proof again; its certificates stay revoked" },
    CLUSTER_OPTION,
    OUTPUT_OPTION,
  ],
  run: (context, input) => {
    const retired = !flagOption(input.options, "lift");
    const said = (identity: NodeIdentity) => {
      const { nodeName, revoked } = identity.spec;
      if (revoked !== true) return retired ? `node ${nodeName} is retired` : `node ${nodeName} may join again`;
      const then = retired ? "it is retired, and its TPM free," : "it may join again";
      return `node ${nodeName} stays revoked; ${then} once that is lifted: countersign identity revoke ${typedName(identity)} --lift`;
    };
    const plan = (before: NodeIdentity) => ({ ...(retired ? {} : keyOf(before)), spec: { retired } });
    return change(context, input, { plan, said, endsCertificates: () => true });
  },
};

/** A node that lives again claims the key that it had, which may be another's by now: that is checked. */
export function keyOf({ metadata, spec, status }: NodeIdentity): Pick<IdentityPatch, "labels"> {
  const hash = (spec.tpm ?? status?.tpm)?.ek.spkiSha256;
  const label = metadata.labels?.[EK_LABEL] ?? (hash === undefined ? undefined : ekLabelOf(hash));
  return label === undefined ? {} : { labels: { [EK_LABEL]: label } };
}
