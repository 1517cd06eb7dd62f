// The `countersign` program: every command it has, in the order of its help.

import { clusterDemo } from "./commands/cluster/demo.ts";
import { clusterUp } from "./commands/cluster/up.ts";
import { csrExplain } from "./commands/csr/explain.ts";
import { nodeJoin } from "./commands/node/join.ts";
import { tokenCreate } from "./commands/token/create.ts";
import { tokenGenerate } from "./commands/token/generate.ts";
import type { Program } from "./program.ts";
import { VERSION } from "./version.ts";

export { runProgram } from "./program.ts";

export const countersign: Program = {
  name: "countersign",
  version: VERSION,
  summary: "the node identity plane for Kubernetes: every machine proves what it is before a certificate is signed",
  commands: [clusterDemo, clusterUp, nodeJoin, tokenCreate, tokenGenerate, csrExplain],
};
