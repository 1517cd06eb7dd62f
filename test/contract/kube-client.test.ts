// The client's contract on the embedded API server: the same suite that a real kube-apiserver passes in the upstream
// tier.

import { createMemoryStorage } from "../../src/apiserver/storage/engine.ts";
import { adminConnection, startTestApiServer } from "../fakes/api-server.ts";
import { kubeClientContract } from "./kube-client.ts";

/** Fewer changes than the server makes at its own start, more than any case makes between two looks. */
const HISTORY_LIMITS = { changes: 60, characters: 1_000_000 };

kubeClientContract("the embedded API server", async () => {
  const server = await startTestApiServer({ storage: createMemoryStorage({ historyLimits: HISTORY_LIMITS }) });
  return { admin: adminConnection(server), tooOldResourceVersion: async () => "1", close: server.close };
});
