// A cluster that has an id of its own because it shares its CA with others: evidence made for one of
// them, which can name it by no more than the pin of that CA, counts for nothing here.

import { describe, expect, it } from "vitest";
import { useAttestationStage } from "./attestation-stage.ts";
import { startEmbeddedPlane } from "./embedded-plane.ts";

describe("a cluster that shares its CA", () => {
  const attested = useAttestationStage(startEmbeddedPlane, { clusterIds: ["east"] });

  it("admits a machine that says its id, and refuses evidence that names it by the CA or by another's id", async () => {
    const { machine } = await attested.aScene();
    for (const cluster of [attested.statement("any").cluster, "west"]) {
      expect(await attested.refused(await machine({ cluster }).hello())).toBe("ClusterMismatch");
    }
    await attested.join(machine({ cluster: "east" }));
  });
});
