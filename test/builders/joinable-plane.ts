// The embedded plane with its controller, and a token to join with: what `countersign up --allow-insecure --token`
// makes.

import { join } from "node:path";
import { encodeToken, generateToken } from "../../src/api/bootstrap/index.ts";
import { type Plane, startPlane } from "../../src/plane/plane.ts";
import { storeToken } from "../../src/plane/store-token.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import { silentLog } from "../../src/platform/report/index.ts";

export interface JoinablePlane {
  readonly plane: Plane;
  readonly token: string;
}

/** In `directory`, which is the caller's to remove. */
export async function startJoinablePlane(directory: string, { ttlMs = 600_000 } = {}): Promise<JoinablePlane> {
  const plane = await startPlane({
    directory: join(directory, "cluster"),
    host: "127.0.0.1",
    port: 0,
    kubeconfigOut: join(directory, "admin.kubeconfig"),
    allowInsecure: true,
    clock: systemClock,
    log: silentLog,
  });
  const token = generateToken(randomBytes);
  await storeToken(plane.client, token, { nowMs: Date.now(), ttlMs });
  return { plane, token: encodeToken(token) };
}
