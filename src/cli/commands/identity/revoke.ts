// `countersign identity revoke NODE`: no more certificates for this node; its TPM is denied until the revocation is
// lifted.

import type { NodeIdentity } from "../../../api/countersign/index.ts";
import { parseNodeName } from "../../../node/index.ts";
import type { Command } from "../../command.ts";
import { KUBECONFIG_OPTION } from "../../connect.ts";
import { flagOption, OUTPUT_OPTION } from "../../options.ts";
import { CLUSTER_OPTION, NODE_ARGUMENT } from "./arguments.ts";
import { change } from "./change.ts";
import { enrolledIdentity } from "./identities.ts";

export const identityRevoke: Command = {
  arguments: [NODE_ARGUMENT],
  options: [
    KUBECONFIG_OPTION,
    { flags: "--lift", description: "take the revocation back; certificates that were given for proof stay revoked" },
    { flags: "--new", description: "also a name that has neither an identity nor a Node here" },
    CLUSTER_OPTION,
    OUTPUT_OPTION,
  ],
  run: (context, input) => {
    const revoked = !flagOption(input.options, "lift");
    const said = ({ spec: { nodeName, retired }, metadata }: NodeIdentity) => {
      if (revoked && isMadeByRevoke(metadata)) return `node ${nodeName} is revoked; it had no identity and has one now`;
      if (revoked) return `node ${nodeName} is revoked`;
      return retired === true
        ? `node ${nodeName} is no longer revoked, and stays retired`
        : `node ${nodeName} may join again`;
    };
    return change(context, input, {
      plan: () => ({ spec: { revoked } }),
      said,
      endsCertificates: () => !revoked,
      absent: revoked ? { make: revokedIdentity, isForced: flagOption(input.options, "new") } : undefined,
      isOver: revoked ? undefined : saysNothingElse,
    });
  },
};

/**
 * A node that joined by its token alone has no identity until it is revoked. An identity that was made for a revocation
 * states nothing else, and is deleted when the revocation is lifted: otherwise the node would suddenly have to prove
 * what it never had to.
 */
const MADE_BY_REVOKE = "countersign.dev/made-by-revoke";

function isMadeByRevoke({ annotations }: NodeIdentity["metadata"]): boolean {
  return annotations?.[MADE_BY_REVOKE] === "true";
}

/** False if the node was enrolled or attested meanwhile: then the identity states more than the revocation. */
function saysNothingElse({ metadata, spec, status }: NodeIdentity): boolean {
  const { nodeName: _node, clusterName: _cluster, revoked: _revoked, ...said } = spec;
  return isMadeByRevoke(metadata) && Object.keys(said).length === 0 && status?.provider === undefined;
}

function revokedIdentity(name: string, clusterName: string | undefined): NodeIdentity {
  const nodeName = parseNodeName(name);
  const made = enrolledIdentity({ nodeName, revoked: true, ...(clusterName === undefined ? {} : { clusterName }) });
  return { ...made, metadata: { ...made.metadata, annotations: { [MADE_BY_REVOKE]: "true" } } };
}
