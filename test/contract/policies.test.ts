// Approval under policies on the embedded control plane; test/upstream runs the same suite on a real one.

import { startEmbeddedPlane } from "./embedded-plane.ts";
import { describePolicies } from "./policies.ts";

describePolicies("the embedded API server", startEmbeddedPlane);
