// Must show: a real kubelet joins, serves and rotates with our controller alone, by a token and by a TPM. The projects
// with older programs run it; both kubelets at once, because most of the time they wait. Only suites that are
// concurrent themselves run beside each other; the tests in each follow one another.

import { describe } from "vitest";
import { missingTools } from "../builders/swtpm.ts";
import { notRun } from "../not-run.ts";
import { kubeletJourney } from "./journeys/kubelet.ts";
import { tpmKubeletJourney } from "./journeys/tpm-kubelet.ts";

const missing = missingTools("swtpm", "swtpm_setup");

describe.concurrent("a real kubelet with a token", () => {
  describe.sequential("and our controller alone", () => {
    const journey = kubeletJourney();
    journey.joinsAndServes();
    journey.rotates(1);
  });
});

describe.skipIf(notRun("a kubelet with a TPM", missing)).concurrent("a real kubelet with a TPM", () => {
  describe.sequential("and our controller alone", () => {
    const journey = tpmKubeletJourney();
    journey.joinsAndServes();
    journey.rotates();
  });
});
