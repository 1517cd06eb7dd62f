// The controller's contract on the embedded control plane; test/upstream runs the same suite on a real one.

import { describeController } from "./controller.ts";
import { startEmbeddedPlane } from "./embedded-plane.ts";

describeController("the embedded API server", startEmbeddedPlane);
