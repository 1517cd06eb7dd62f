// Approval under policies on a real kube-apiserver: the same suite that the embedded one passes.

import { describePolicies } from "../contract/policies.ts";
import { startRealPlane } from "./harness/index.ts";

describePolicies("a real kube-apiserver", startRealPlane);
