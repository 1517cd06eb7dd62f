// H10. The machine says which cluster it means, from its own bootstrap data: an answer that was meant for another cluster is of no
// use here, whoever relayed it.
import { pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { withEvidence } from "../with-evidence.ts";

export const clusterIsOurs: Rule<EvidenceFacts> = {
  id: "cluster-is-ours",
  sentence: "the cluster that the machine means is this one",
  judge: withEvidence(({ envelope }, { cluster }) =>
    cluster.ids.includes(envelope.cluster)
      ? pass()
      : refuse("ClusterMismatch", `the evidence is for cluster ${envelope.cluster}, which is not this one`),
  ),
};
