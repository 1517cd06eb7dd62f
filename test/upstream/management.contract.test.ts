// Two workload clusters and their management cluster on real kube-apiservers: the same suite that the embedded one
// passes.

import { describeManagement } from "../contract/management.ts";
import { startRealPlane } from "./harness/index.ts";

describeManagement("real kube-apiservers", startRealPlane);
