// A management cluster on the embedded control plane; test/upstream runs the same suite on a real one.

import type { ConfigMap } from "../../src/api/core/index.ts";
import { CONFIG_MAPS } from "../../src/api/meta/index.ts";
import { startEmbeddedPlane } from "./embedded-plane.ts";
import { describeManagement } from "./management.ts";

describeManagement("embedded API servers", async () => {
  const plane = await startEmbeddedPlane();
  // kube-apiserver publishes it by itself.
  const trust: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "kube-system", name: "extension-apiserver-authentication" },
    data: { "client-ca-file": plane.caPem },
  };
  await plane.admin.create(CONFIG_MAPS, trust);
  return plane;
});
