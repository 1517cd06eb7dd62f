// The duty that is measured: what a controller does with the evidence of one machine, from bytes to a verdict. Check
// the endorsement key's certificate chain, make a credential that only the attestation key's TPM opens, and check a
// quote by that key.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { loadParts } from "../frame/product.mjs";

const { evidence, bytes, pem, tpm, x509 } = await loadParts({
  ...{ evidence: "attestation/evidence", bytes: "kernel/bytes", pem: "kernel/pem" },
  ...{ tpm: "kernel/tpm", x509: "kernel/x509" },
});
const { parseBlocks, parseChallenge, parseEnvelope } = evidence;
const { equalBytes } = bytes;
const { parsePem } = pem;
const { makeCredential, nameOf, parsePublicArea, parseQuote, parseTpmSignature, pcrDigestOf, publicKeyOf } = tpm;
const { verifyTpmSignature } = tpm;
const { parseCertificate, validateChain } = x509;

/** After the EK certificate was made: the recorded exchanges have a frozen clock, which was before. */
const CERTIFICATE_AGE_MS = 3_600_000;
/** Of the endorsement key's digest, SHA-256. */
const SEED_OCTETS = 32;

/**
 * An exchange that was recorded from swtpm, in parts.
 * @typedef {ReturnType<typeof loadExchange>} Exchange
 * @param {string} name
 */
export function loadExchange(name) {
  const path = new URL(`../../test/vectors/attestation/${name}.json`, import.meta.url);
  const { hello, proof, annotation, authorities } = JSON.parse(readFileSync(path, "utf8"));
  const helloBody = bodyOf(hello.request);
  const proofBody = bodyOf(proof.request);
  const { challenge } = parseChallenge(annotation);
  const [roots, intermediates] = authorities.map((/** @type {string} */ pem) =>
    parsePem(pem).map((/** @type {{ bytes: Uint8Array }} */ block) => block.bytes),
  );
  const { ek, ekChain } =
    helloBody.kind === "tpm-hello" && helloBody.endorsement ? helloBody.endorsement : missing(name);
  if (helloBody.kind !== "tpm-hello" || proofBody.kind !== "tpm-proof" || challenge.alg !== "tpm2-credential")
    return missing(name);
  const ekCertificate = ekChain[0] ?? missing(name);
  return {
    ekCertificate,
    /** @type {readonly Uint8Array[]} */
    roots,
    /** @type {readonly Uint8Array[]} */
    intermediates,
    ek,
    ak: helloBody.ak,
    attest: proofBody.attest,
    signature: proofBody.signature,
    pcrs: challenge.pcrs,
    pcrValues: proofBody.pcrs,
    extraData: parseQuote(proofBody.attest).extraData,
    secret: new Uint8Array(SEED_OCTETS).fill(9),
    nowMs: parseCertificate(ekCertificate).notBeforeMs + CERTIFICATE_AGE_MS,
  };
}

/** @param {string} request base64 of a recorded `spec.request` */
function bodyOf(request) {
  const { protocol, content } = parseBlocks(new Uint8Array(Buffer.from(request, "base64")));
  return parseEnvelope(content, protocol ?? missing("a protocol")).body;
}

/** @param {string} what @returns {never} */
function missing(what) {
  throw new Error(`the recorded exchange lacks ${what}`);
}

/** The authorities are parsed once, as a controller does with its policy's. @param {Exchange} exchange */
export function createVerifyDuty(exchange) {
  const roots = exchange.roots.map(parseCertificate);
  const intermediates = exchange.intermediates.map(parseCertificate);
  return () => {
    const leaf = parseCertificate(exchange.ekCertificate);
    must(validateChain({ leaf, roots, intermediates, nowMs: exchange.nowMs }).ok, "the chain");
    const endorsementKey = parsePublicArea(exchange.ek);
    must(equalBytes(publicKeyOf(endorsementKey).spki, leaf.publicKey.spki), "the certificate's key");

    const ak = parsePublicArea(exchange.ak);
    const randomness = { kind: /** @type {const} */ ("rsa"), seed: random(), oaepSeed: random() };
    makeCredential({ endorsementKey, objectName: nameOf(ak), secret: exchange.secret, randomness });

    const quote = parseQuote(exchange.attest);
    must(verifyTpmSignature(ak, parseTpmSignature(exchange.signature), quote.raw), "the quote's signature");
    must(equalBytes(quote.extraData, exchange.extraData), "the quote's extra data");
    must(quote.selections[0]?.pcrs.join() === exchange.pcrs.join(), "the PCRs");
    must(equalBytes(pcrDigestOf(exchange.pcrValues, ak.scheme?.hash ?? 0), quote.pcrDigest), "the PCRs' values");
  };
}

function random() {
  return new Uint8Array(randomBytes(SEED_OCTETS));
}

/** @param {boolean} holds @param {string} what */
function must(holds, what) {
  if (!holds) throw new Error(`${what} does not hold`);
}
