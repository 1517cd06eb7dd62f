// The `countersign` program: every command it has, in the order of its help.

import { VERSION } from "../platform/process/index.ts";
import { auditShow } from "./commands/audit/show.ts";
import { auditTail } from "./commands/audit/tail.ts";
import { auditVerify } from "./commands/audit/verify.ts";
import { clusterDemo } from "./commands/cluster/demo.ts";
import { clusterUp } from "./commands/cluster/up.ts";
import { csrApprove, csrDeny } from "./commands/csr/decide.ts";
import { csrExplain } from "./commands/csr/explain.ts";
import { csrList } from "./commands/csr/list.ts";
import { discoveryKubeconfig } from "./commands/discovery/kubeconfig.ts";
import { discoveryRefresh } from "./commands/discovery/refresh.ts";
import { discoveryShow } from "./commands/discovery/show.ts";
import { discoveryVerify } from "./commands/discovery/verify.ts";
import { identityReset, identityRevoke } from "./commands/identity/change.ts";
import { identityEnroll } from "./commands/identity/enroll.ts";
import { identityList } from "./commands/identity/list.ts";
import { identityShow } from "./commands/identity/show.ts";
import { nodeDoctor } from "./commands/node/doctor.ts";
import { nodeJoin } from "./commands/node/join.ts";
import { nodeLeave } from "./commands/node/leave.ts";
import { nodeRenew } from "./commands/node/renew.ts";
import { nodeRun } from "./commands/node/run.ts";
import { nodeStatus } from "./commands/node/status.ts";
import { nodeTpm } from "./commands/node/tpm.ts";
import { policyTest } from "./commands/policy/test.ts";
import { providerNew } from "./commands/provider/new.ts";
import { tokenCreate } from "./commands/token/create.ts";
import { tokenGenerate } from "./commands/token/generate.ts";
import { tokenList } from "./commands/token/list.ts";
import { tokenRevoke } from "./commands/token/revoke.ts";
import { tokenShow } from "./commands/token/show.ts";
import type { Program } from "./program.ts";

export { runProgram } from "./program.ts";

export const countersign: Program = {
  name: "countersign",
  version: VERSION,
  summary: "the node identity plane for Kubernetes: every machine proves what it is before a certificate is signed",
  groups: {
    node: "this machine as a node: join, keep its certificates fresh, find out what is wrong",
    token: "bootstrap tokens: make, list, show and revoke them",
    csr: "certificate requests: list them, explain their verdicts, decide by hand",
    policy: "join policies: see what one would change before it is in force",
    discovery: "where a cluster is and whom to trust there",
    audit: "the controller's audit trail: check, show and follow it",
    identity: "what is known of each node's machine: enroll, show, reset, revoke",
    provider: "attestation providers: begin a new one",
  },
  commands: [
    clusterDemo,
    clusterUp,
    nodeJoin,
    nodeStatus,
    nodeTpm,
    nodeDoctor,
    nodeLeave,
    nodeRun,
    nodeRenew,
    tokenCreate,
    tokenGenerate,
    tokenList,
    tokenShow,
    tokenRevoke,
    csrList,
    csrExplain,
    csrApprove,
    csrDeny,
    identityList,
    identityShow,
    identityEnroll,
    identityReset,
    identityRevoke,
    policyTest,
    discoveryShow,
    discoveryVerify,
    discoveryRefresh,
    discoveryKubeconfig,
    auditVerify,
    auditShow,
    auditTail,
    providerNew,
  ],
};
