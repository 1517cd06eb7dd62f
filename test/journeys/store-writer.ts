// Run as its own process by store-kill.test.ts: rotates the pair of one certificate directory as fast as it can, under
// the store's lock, until it is killed.

import { writeSync } from "node:fs";
import { createCertificateStore } from "../../src/node/certificates/store/store.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { waitForLock } from "../../src/platform/files/index.ts";
import { aNodeCa } from "../builders/node-ca.ts";

const [, , directory = ""] = process.argv;
const ca = aNodeCa();
const store = createCertificateStore({ directory, clock: systemClock });
await store.open();
writeSync(1, "ready\n");
for (;;) {
  const lock = await waitForLock(store.layout.lockPath, { clock: systemClock, limitMs: 10_000 });
  await store.repair("system:node:worker-1");
  const { certificatePem, keyPem } = ca.issueNode();
  await store.savePendingKey(keyPem);
  await store.save(certificatePem, keyPem);
  await store.dropPendingKey();
  await lock.release();
}
