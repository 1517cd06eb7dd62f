// Our definitions, and the Machines of others, on a real kube-apiserver: the same suite that the embedded one passes.

import { describeDefinitions } from "../contract/definitions.ts";
import { startRealPlane } from "./harness/index.ts";

describeDefinitions("a real kube-apiserver", startRealPlane);
