// Registration with Cluster API on the embedded API server; test/upstream runs the same suite on a real one.

import { startEmbeddedPlane } from "./embedded-plane.ts";
import { describeRegistration } from "./registration.ts";

describeRegistration("the embedded API server", startEmbeddedPlane);
