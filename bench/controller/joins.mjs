// A round of joins: requests as kubelets make them, by somebody whose requests may be approved by rule. The clock runs
// from the first creation until the watch has shown the last certificate. Afterwards they are deleted, so that every
// round begins alike.
import { inFlight } from "../apiserver/client.mjs";
import { loadProduct } from "./product.mjs";
import { createIssuer } from "./signing.mjs";

const PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";

/** Keys cost more than anything that is measured, so they are made once; names are new in each round. */
export async function createRequester() {
  const { x509, keys, pem } = await loadProduct();
  const pool = Array.from({ length: 32 }, () => keys.generatePrivateKey("P-256"));
  let serial = 0;
  /** @param {number} count */
  return (count) =>
    Array.from({ length: count }, (_, i) => {
      const name = `bench-${serial++}`;
      const subject = { commonName: `system:node:${name}`, organizations: ["system:nodes"] };
      const der = x509.signCertificateRequest({ subject, extensions: [] }, pool[i % pool.length].signer);
      const request = Buffer.from(pem.encodePem("CERTIFICATE REQUEST", der)).toString("base64");
      return {
        name,
        body: JSON.stringify({
          apiVersion: "certificates.k8s.io/v1",
          kind: "CertificateSigningRequest",
          metadata: { name },
          spec: { request, signerName: SIGNER, usages: ["digital signature", "client auth"] },
        }),
      };
    });
}

/** @typedef {{ readonly name: string, readonly body: string }} Request */
/** @typedef {import("../apiserver/client.mjs").Client} Client */

/**
 * Creates, waits for every certificate, answers the nanoseconds.
 * @param {Client} client @param {readonly Request[]} requests
 */
export async function join(client, requests) {
  const seen = await watchIssued(client, requests.length);
  const start = process.hrtime.bigint();
  await inFlight(requests.length, async (i) => {
    await client.ask("POST", PATH, requests[i]?.body);
  });
  await seen.all;
  const elapsed = Number(process.hrtime.bigint() - start);
  seen.stop();
  return elapsed;
}

/**
 * The least that any controller must do: the same creations, and two PUTs for each.
 * @param {Client} client
 * @param {readonly Request[]} requests
 * @param {(approved: object) => string} certificateFor in base64
 */
export async function joinBare(client, requests, certificateFor) {
  const seen = await watchIssued(client, requests.length);
  const start = process.hrtime.bigint();
  await inFlight(requests.length, async (i) => {
    const created = JSON.parse(await client.ask("POST", PATH, requests[i]?.body));
    const conditions = [{ type: "Approved", status: "True", reason: "AutoApproved", message: "by the bare client" }];
    const path = `${PATH}/${created.metadata.name}`;
    const approved = await client.ask(
      "PUT",
      `${path}/approval`,
      JSON.stringify({ ...created, status: { conditions } }),
    );
    const object = JSON.parse(approved);
    const status = { ...object.status, certificate: certificateFor(object) };
    await client.ask("PUT", `${path}/status`, JSON.stringify({ ...object, status }));
  });
  await seen.all;
  const elapsed = Number(process.hrtime.bigint() - start);
  seen.stop();
  return elapsed;
}

/** @param {Client} client */
export async function removeAll(client) {
  const { items } = JSON.parse(await client.ask("GET", PATH));
  await inFlight(items.length, async (i) => {
    await client.ask(/** @type {"GET"} */ ("DELETE"), `${PATH}/${items[i].metadata.name}`);
  });
}

/** Any certificate will do for the bare client: the server looks at its form only. */
export function anyCertificate(/** @type {{ certPem: string }} */ ca) {
  const certificate = Buffer.from(ca.certPem).toString("base64");
  return () => certificate;
}

/** The duty that no controller is spared: the request verified, its certificate signed and checked. */
export async function ownCertificate(/** @type {{ certPem: string, keyPem: string }} */ ca) {
  const { x509, keys, pem } = await loadProduct();
  const certificate = x509.parseCertificate(pem.parsePem(ca.certPem)[0].bytes);
  const issue = await createIssuer({ certificate, key: keys.parsePrivateKey(ca.keyPem) });
  return (/** @type {object} */ approved) =>
    Buffer.from(pem.encodePem("CERTIFICATE", issue(approved))).toString("base64");
}

/** Resolves `all` when so many requests have a certificate. @param {Client} client @param {number} count */
async function watchIssued(client, count) {
  const names = new Set();
  /** Parsing every event would cost the measurement more than the one that matters. @param {string} line */
  const note = (line) => {
    if (line.includes('"certificate":"')) names.add(/"name":"([^"]+)"/.exec(line)?.[1]);
  };
  let body = await openWatch(client, await presentVersion(client));
  const all = (async () => {
    while (names.size < count) {
      await readLines(body, note, () => names.size >= count);
      if (names.size >= count) return;
      // A server under load ends the watch of a slow reader: what it did not tell is in the list.
      const list = JSON.parse(await client.ask("GET", PATH));
      for (const { metadata, status } of list.items) if (status?.certificate) names.add(metadata.name);
      body = await openWatch(client, list.metadata.resourceVersion);
    }
  })();
  return { all, stop: () => body.destroy() };
}

/** @param {Client} client */
async function presentVersion(client) {
  return JSON.parse(await client.ask("GET", `${PATH}?limit=1`)).metadata.resourceVersion;
}

/** @param {Client} client @param {string} resourceVersion */
function openWatch(client, resourceVersion) {
  return client.stream(`${PATH}?watch=true&resourceVersion=${resourceVersion}`);
}

/** @param {AsyncIterable<Buffer>} body @param {(line: string) => void} note @param {() => boolean} isOver */
async function readLines(body, note, isOver) {
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(note);
    if (isOver()) return;
  }
}
