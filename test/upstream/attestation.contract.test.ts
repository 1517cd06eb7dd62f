// Attestation on a real kube-apiserver: the same suite that the embedded one passes.

import { describeAttestation } from "../contract/attestation.ts";
import { startRealPlane } from "./harness/index.ts";

describeAttestation("a real kube-apiserver", startRealPlane);
