// The embedded control plane as the suites of this folder want one.

import { connectAdmin, startTestApiServer } from "../fakes/api-server.ts";
import type { Plane } from "./controller-stage.ts";

export async function startEmbeddedPlane(): Promise<Plane> {
  const server = await startTestApiServer();
  const admin = connectAdmin(server);
  const stop = async () => {
    await admin.close();
    await server.close();
  };
  return { url: server.url, caPem: server.caPem, caKeyPem: server.caKeyPem, admin, stop };
}
