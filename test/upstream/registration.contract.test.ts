// Registration with Cluster API on a real kube-apiserver, which prunes as theirs do: the same suite that the embedded
// one passes.

import { describeRegistration } from "../contract/registration.ts";
import { startRealPlane } from "./harness/index.ts";

describeRegistration("a real kube-apiserver", startRealPlane);
