// The controller's contract on a real kube-apiserver: the same suite that the embedded one passes.

import { describeController } from "../contract/controller.ts";
import { startRealPlane } from "./harness/index.ts";

describeController("a real kube-apiserver", startRealPlane);
