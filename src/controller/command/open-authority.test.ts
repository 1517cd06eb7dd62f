// A CA that the API server of the requests does not know, on the embedded API server, which publishes what this test
// writes.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { aCsr } from "../../../test/builders/csr.ts";
import { anAuthority } from "../../../test/builders/csr-authority.ts";
import { connectAdmin, startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import { KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from "../../api/certificates/index.ts";
import { CONFIG_MAPS } from "../../api/meta/index.ts";
import { createKubeClient, type KubeClient } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { openAuthority } from "./open-authority.ts";

const [own, foreign] = [anAuthority(), anAuthority()];
const where = { namespace: "kube-system", name: "extension-apiserver-authentication" };
let server: TestApiServer;
let admin: KubeClient;
let directory: string;
beforeAll(async () => {
  server = await startTestApiServer();
  admin = connectAdmin(server);
  directory = await mkdtemp(join(tmpdir(), "countersign-ca-"));
  for (const [name, { certPem, keyPem }] of Object.entries({ own, foreign })) {
    await writeFile(join(directory, `${name}.crt`), certPem);
    await writeFile(join(directory, `${name}.key`), keyPem, { mode: 0o600 });
  }
});
afterAll(async () => {
  await admin.close();
  await server.close();
  await rm(directory, { recursive: true });
});

async function publish(bundle: string): Promise<void> {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: where, data: { "client-ca-file": bundle } };
  await admin.create(CONFIG_MAPS, object);
}

/**
 * The first thing that is said after the first look at what the API server takes; the words of before it where that
 * never comes.
 */
interface Told {
  readonly signers?: string[];
  readonly isTrustedElsewhere?: boolean;
}

async function standing(name: string, client: KubeClient, told: Told = {}) {
  const files = {
    kind: "Files",
    certFile: join(directory, `${name}.crt`),
    keyFile: join(directory, `${name}.key`),
  } as const;
  const authorities = await openAuthority(files, { client, management: client, log: silentLog, ...told });
  const stop = new AbortController();
  const changed = new Promise<void>((resolve) => authorities.onChange?.(resolve));
  const running = authorities.run?.(stop.signal);
  await Promise.race([changed, new Promise((resolve) => setTimeout(resolve, 2_000))]);
  const { canSign, says } = authorities.standing?.() ?? { canSign: true, says: "" };
  const signs = attempt(() => authorities.of(aCsr()));
  stop.abort();
  await running;
  return { canSign, says, signs };
}

function attempt(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

it("a foreign --ca-cert is not ready and signs nothing, the cluster's own does", async () => {
  await publish(`${anAuthority().certPem}${own.certPem}`);
  expect(await standing("own", admin)).toEqual({ canSign: true, says: "usable", signs: true });
  const refused = await standing("foreign", admin);
  expect(refused).toMatchObject({ canSign: false, signs: false });
  expect(refused.says).toContain("the CA is that of another cluster");
  const both = [KUBELET_SERVING_SIGNER, KUBELET_CLIENT_SIGNER];
  expect(await standing("foreign", admin, { signers: both })).toMatchObject({ canSign: false });
  // Serving certificates may have a CA of their own, of which the API server says nothing.
  expect(await standing("foreign", admin, { signers: [KUBELET_SERVING_SIGNER] })).toMatchObject({ signs: true });
  // A gateway before the API server judges client certificates, and the operator said so.
  expect(await standing("foreign", admin, { isTrustedElsewhere: true })).toMatchObject({ signs: true });
  await admin.delete(CONFIG_MAPS, where);
});

it("an API server that publishes nothing leaves nothing to compare with, and requests do not wait", async () => {
  expect(await standing("own", admin)).toEqual({ canSign: true, says: "usable", signs: true });
});

it("a controller that may not read what the API server takes signs nothing, and says what to grant", async () => {
  const stranger = createKubeClient({ server: server.url, caPem: server.caPem, credentials: () => ({}) });
  const { canSign, says, signs } = await standing("own", stranger);
  expect([canSign, signs]).toEqual([false, false]);
  expect(says).toContain("bind the Role extension-apiserver-authentication-reader in kube-system to the controller");
  await stranger.close();
});
