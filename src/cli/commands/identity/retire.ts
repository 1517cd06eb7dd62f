// `countersign identity retire NODE`: the machine is gone for good; its TPM and its name are free.

import { EK_LABEL, type NodeIdentity } from "../../../api/countersign/index.ts";
import type { Command } from "../../command.ts";
import { KUBECONFIG_OPTION } from "../../connect.ts";
import { flagOption, OUTPUT_OPTION } from "../../options.ts";
import { CLUSTER_OPTION, NODE_ARGUMENT } from "./arguments.ts";
import { change } from "./change.ts";
import { typedName } from "./describe.ts";

export const identityRetire: Command = {
  arguments: [NODE_ARGUMENT],
  options: [
    KUBECONFIG_OPTION,
    { flags: "--lift", description: "take it back: the name may join again, its certificates stay revoked" },
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
    // Taken back before the controller acted on it, the node would have its key again, which may be another's by now.
    const plan = ({ metadata: { labels = {} } }: NodeIdentity) => ({
      ...(retired || labels[EK_LABEL] === undefined ? {} : { labels: { [EK_LABEL]: labels[EK_LABEL] } }),
      spec: { retired },
    });
    return change(context, input, { plan, said });
  },
};
