// One core: what the signer does with an approved request, from the object to the checked certificate, against the same
// duty in Go's crypto/x509 (parse, verify, template, sign; CreateCertificate checks its own signature before it
// returns).
import { join } from "node:path";
import { compare, elapsedNs } from "../frame/measure.mjs";
import { createAuthority, createRequests } from "../x509/duty.mjs";
import { startIssuingPeer } from "../x509/go.mjs";
import { DIST } from "./product.mjs";

const COUNT = 200;
const ROUNDS = 9;

export async function measureSigning() {
  const requests = createRequests(COUNT);
  const authorities = { rsa: createAuthority("RSA-2048"), p256: createAuthority("P-256") };
  const issue = await createIssuer(authorities.rsa);
  const csrs = await Promise.all(requests.map(asObject));
  const go = startIssuingPeer(authorities, requests);
  try {
    const ways = {
      ours: () =>
        elapsedNs(() => {
          for (const csr of csrs) issue(csr);
        }),
      go: () => go.round("rsa"),
    };
    const rates = await compare(ways, { rounds: ROUNDS, count: COUNT });
    const numbers = `ours ${rates.ours.toFixed(0)}/s   go ${rates.go.toFixed(0)}/s`;
    console.log(`  ${"sign, one core".padEnd(34)} ${numbers}   (${COUNT} requests, median of ${ROUNDS} rounds)`);
    return rates.ours / rates.go;
  } finally {
    go.stop();
  }
}

/** @param {Uint8Array} der */
async function asObject(der) {
  const { encodePem } = await import(join(DIST, "kernel/pem/index.js"));
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: "bench", uid: "bench" },
    spec: {
      request: Buffer.from(encodePem("CERTIFICATE REQUEST", der)).toString("base64"),
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages: ["digital signature", "client auth"],
    },
    status: { conditions: [{ type: "Approved", status: "True" }] },
  };
}

/**
 * Answers: an approved request → its certificate, DER.
 * @param {Pick<import("../x509/duty.mjs").Authority, "certificate" | "key">} ca
 */
export async function createIssuer(ca) {
  const load = (/** @type {string} */ path) => import(join(DIST, path));
  const [
    { gatherSigning },
    { planSigning },
    { planCertificate },
    { signTemplate },
    { checkCertificate },
    { parseCertificate },
    { randomBytes },
  ] = await Promise.all([
    load("controller/signing/gather.js"),
    load("controller/signing/plan.js"),
    load("controller/signing/template.js"),
    load("controller/signing/index.js"),
    load("controller/signing/check.js"),
    load("kernel/x509/index.js"),
    load("platform/keys/index.js"),
  ]);
  const authority = { certificate: ca.certificate, signer: ca.key.signer };
  const options = {
    clock: { now: Date.now },
    randomBytes,
    servedSigners: ["kubernetes.io/kube-apiserver-client-kubelet"],
    lifetimeMsOf: () => 365 * 86_400_000,
  };
  /** @param {unknown} csr */
  return (csr) => {
    const facts = gatherSigning(options, csr, authority);
    const plan = planSigning(facts);
    if (plan.kind !== "Sign") throw new Error(`the request is not signed: ${JSON.stringify(plan)}`);
    const certificate = parseCertificate(signTemplate(planCertificate(facts, plan.request), authority));
    const broken = checkCertificate(certificate, plan.request, facts);
    if (broken.length > 0) throw new Error(broken.join("; "));
    return certificate.raw;
  };
}
