// The contract of our definitions on the embedded control plane; test/upstream runs the same suite on a real one.

import { describeDefinitions } from "./definitions.ts";
import { startEmbeddedPlane } from "./embedded-plane.ts";

describeDefinitions("the embedded API server", startEmbeddedPlane);
