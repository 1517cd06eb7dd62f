// Attestation on the embedded control plane; test/upstream runs the same suite on a real one.

import { describeAttestation } from "./attestation.ts";
import { startEmbeddedPlane } from "./embedded-plane.ts";

describeAttestation("the embedded API server", startEmbeddedPlane);
