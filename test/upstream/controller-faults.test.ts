// A thousand nodes join a real kube-apiserver while the way between controller and server has the worst day of its
// life: 429, 500 before and after a write took effect, 409 out of nowhere, watches that break, slow answers, and half a
// minute in which nobody is there. The controller runs as it does in a cluster: with a lease, and started anew when it
// ends.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCondition } from "../../src/api/certificates/index.ts";
import { encodePem, parsePem } from "../../src/kernel/pem/index.ts";
import {
  EKU_SERVER_AUTH,
  extKeyUsageExtension,
  parseCertificate,
  signCertificate,
  subjectAltNameExtension,
} from "../../src/kernel/x509/index.ts";
import { generatePrivateKey, parsePrivateKey, randomBytes } from "../../src/platform/keys/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { type FaultyProxy, startFaultyProxy } from "../fakes/faulty-proxy.ts";
import { CLIENT_WAS_GONE, createWitness, type WitnessedWrite } from "./controller/audit-log.ts";
import { type Joins, joinRequest, startJoins } from "./controller/joins.ts";
import { type Replica, startReplica, untilOtherLeads } from "./controller/replicas.ts";
import { type ControlPlane, startControlPlane } from "./harness/index.ts";

const JOINS = 1_000;
const OUTAGE_MS = 30_000;
const SEED = 20_261_116;

let plane: ControlPlane;
let admin: KubeClient;
let node: KubeClient;
let proxy: FaultyProxy;
let joins: Joins & { readonly made: Promise<void> };
let controller: Replica;
let writes: readonly WitnessedWrite[];
let restarts = 0;
let supervising: NodeJS.Timeout | undefined;

/** As kubelet does it: what ends is started anew. */
function supervise(): void {
  supervising = setInterval(() => {
    if (controller.process.ending() === undefined) return;
    restarts++;
    clearInterval(supervising);
    void controller.process.restart().then(supervise);
  });
}

/** For 127.0.0.1, by the cluster's own CA. */
function servingPair({ caPem, caKeyPem }: ControlPlane) {
  const key = generatePrivateKey("P-256");
  const [ca] = parsePem(caPem);
  const der = signCertificate(
    {
      serialNumber: Uint8Array.of(1, ...randomBytes(15)),
      subject: { commonName: "a bad day" },
      issuer: parseCertificate(ca?.bytes ?? new Uint8Array()).subject.raw,
      notBeforeMs: Date.now() - 60_000,
      notAfterMs: Date.now() + 3_600_000,
      publicKey: key.signer.publicKey,
      extensions: [
        extKeyUsageExtension([EKU_SERVER_AUTH]),
        subjectAltNameExtension({ ipAddresses: ["127.0.0.1"], dnsNames: [], uris: [], emails: [] }),
      ],
    },
    parsePrivateKey(caKeyPem).signer,
  );
  return { certPem: encodePem("CERTIFICATE", der), keyPem: key.encodePem() };
}

beforeAll(async () => {
  const witness = await createWitness();
  plane = await startControlPlane({ apiServerFlags: witness.flags });
  admin = await loadKubeconfigClient(plane.adminKubeconfigPath);
  node = await loadKubeconfigClient(await plane.writeTokenKubeconfig("node", await plane.createBootstrapToken()));
  proxy = await startFaultyProxy({
    upstream: plane.url,
    upstreamCaPem: plane.caPem,
    serving: servingPair(plane),
    seed: SEED,
    odds: { "429": 0.03, "500 before": 0.03, "500 after": 0.03, "409": 0.03, slow: 0.03, "dropped watch": 0.9 },
  });
  controller = await startReplica(plane, "controller", [], proxy.url);
  supervise();
  await untilOtherLeads(admin, "", 60_000);
  joins = startJoins(
    { node, admin },
    Array.from({ length: JOINS }, (_, i) => joinRequest(`worker-${i}`)),
  );
  await joins.untilIssued(JOINS * 0.3, 60_000);
  await proxy.outage(OUTAGE_MS);
  await joins.made;
  await joins.untilIssued(JOINS, 120_000);
  writes = await witness.writes();
  console.log("faults:", { ...proxy.done, restarts });
});

afterAll(async () => {
  clearInterval(supervising);
  await joins?.stop();
  await controller?.process.stop();
  await proxy?.close();
  await Promise.all([admin?.close(), node?.close()]);
  await plane?.stop();
});

describe("a thousand joins on a bad day", () => {
  it("meets every fault, many times", () => {
    for (const fault of ["429", "500 before", "500 after", "409", "slow"]) {
      expect(proxy.done[fault], fault).toBeGreaterThan(10);
    }
    expect(proxy.done["dropped watch"]).toBeGreaterThan(1);
  });

  it("finishes all of them: approved, with a certificate, none denied or failed", () => {
    for (const name of joins.created) {
      const csr = joins.get(name);
      const types = ["Approved", "Denied", "Failed"].filter((type) => csr !== undefined && findCondition(csr, type));
      expect([name, types, (csr?.status?.certificate ?? "") !== ""]).toEqual([name, ["Approved"], true]);
    }
    expect(joins.created).toHaveLength(JOINS);
  });

  it.each(["approval", "status"])("writes /%s of each request once, although some answers were lost", (subresource) => {
    const times = new Map<string, number>();
    for (const write of writes) {
      if (write.subresource === subresource && write.code === 200)
        times.set(write.csr, (times.get(write.csr) ?? 0) + 1);
    }
    expect([...times].filter(([, count]) => count !== 1)).toEqual([]);
    // All were approved and signed (above), so one without an accepted write is one whose connection was cut meanwhile.
    const cut = writes.filter((write) => write.subresource === subresource && write.code === CLIENT_WAS_GONE);
    expect(new Set([...times.keys(), ...cut.map(({ csr }) => csr)]).size).toBe(JOINS);
  });
});
