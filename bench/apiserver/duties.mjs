// The load: what nodes, controllers and people do to an API server, on CertificateSigningRequests. Every duty answers
// the nanoseconds it took and throws when an answer is not what it should be.
import { encodePem } from "../../dist/kernel/pem/index.js";
import { signCertificateRequest } from "../../dist/kernel/x509/index.js";
import { generatePrivateKey } from "../../dist/platform/keys/index.js";
import { inFlight } from "./client.mjs";

/** As a herd does: each machine has a key of its own, so nothing is gained by remembering the last ones. */
const KEYS = 64;

const PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/** @typedef {{ metadata: { name: string, resourceVersion: string, labels?: Record<string, string> } }} StoredRequest */

/** @param {import("./client.mjs").Client} client */
export function createDuties(client) {
  /** @type {StoredRequest[]} */
  const stored = [];
  const specs = Array.from({ length: KEYS }, requestSpec);
  let made = 0;
  let turn = 0;

  /** @param {string} prefix */
  async function createOne(prefix) {
    const spec = specs[made % specs.length];
    const metadata = { name: `${prefix}-${String(made++).padStart(6, "0")}` };
    const object = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", metadata, spec };
    return JSON.parse(await client.ask("POST", PATH, JSON.stringify(object)));
  }

  /** @param {number} count */
  const create = (count) =>
    inFlight(count, async () => {
      stored.push(await createOne("listed"));
    });

  /** @param {number} count */
  const get = (count) =>
    inFlight(count, async (index) => {
      const name = stored[(index * 7) % stored.length]?.metadata.name;
      const object = JSON.parse(await client.ask("GET", `${PATH}/${name}`));
      if (object.metadata.name !== name) throw new Error(`asked for ${name}, got ${object.metadata.name}`);
    });

  /** @param {number} times @param {number} expected */
  async function list(times, expected) {
    const texts = [];
    const start = process.hrtime.bigint();
    for (let time = 0; time < times; time++) texts.push(await client.ask("GET", PATH));
    const elapsed = Number(process.hrtime.bigint() - start);
    for (const text of texts) {
      const names = JSON.parse(text).items.filter((/** @type {StoredRequest} */ { metadata }) =>
        metadata.name.startsWith("listed"),
      );
      if (names.length !== expected) throw new Error(`a list of ${names.length} objects, expected ${expected}`);
    }
    return elapsed;
  }

  /**
   * From the first write until the last watcher has seen the last event.
   * @param {number} watchers @param {number} events
   */
  async function watch(watchers, events) {
    const { metadata } = JSON.parse(await client.ask("GET", `${PATH}?limit=1`));
    const path = `${PATH}?watch=1&resourceVersion=${metadata.resourceVersion}`;
    const bodies = await Promise.all(Array.from({ length: watchers }, () => client.stream(path)));
    const start = process.hrtime.bigint();
    const reading = Promise.all(bodies.map((body) => readLines(body, events)));
    await inFlight(events, async () => {
      await createOne("watched");
    });
    const seen = await reading;
    const elapsed = Number(process.hrtime.bigint() - start);
    checkSameEvents(seen, events);
    return elapsed;
  }

  /** @param {number} count */
  const update = (count) => {
    turn += 1;
    return inFlight(count, async (index) => {
      const at = (turn * count + index) % stored.length;
      const object = stored[at];
      if (object === undefined) throw new Error("nothing to update");
      const labels = { ...object.metadata.labels, turn: String(turn) };
      const body = JSON.stringify({ ...object, metadata: { ...object.metadata, labels } });
      stored[at] = JSON.parse(await client.ask("PUT", `${PATH}/${object.metadata.name}`, body));
      if (stored[at]?.metadata.resourceVersion === object.metadata.resourceVersion)
        throw new Error("nothing was written");
    });
  };

  return { create, get, list, watch, update, close: client.close };
}

/** A signer that no controller serves: requests stay as they are. */
function requestSpec() {
  const subject = { commonName: "system:node:bench", organizations: ["system:nodes"] };
  const pem = encodePem("CERTIFICATE REQUEST", signCertificateRequest({ subject }, generatePrivateKey("P-256").signer));
  return {
    request: Buffer.from(pem).toString("base64"),
    signerName: "example.com/bench",
    usages: ["digital signature", "client auth"],
  };
}

/**
 * Ends the watch when `count` lines were read.
 * @param {import("undici").Dispatcher.ResponseData["body"]} body
 * @param {number} count
 */
async function readLines(body, count) {
  /** @type {Buffer[]} */
  const chunks = [];
  let lines = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
    if (lines >= count) break;
  }
  return Buffer.concat(chunks);
}

/** All watchers read the same bytes, and they are the events. @param {readonly Buffer[]} seen @param {number} events */
function checkSameEvents(seen, events) {
  const [first, ...others] = seen;
  if (first === undefined || others.some((bytes) => !bytes.equals(first)))
    throw new Error("watchers saw different events");
  const types = first
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  if (types.length !== events || types.some((type) => type !== "ADDED"))
    throw new Error(`watchers saw ${types.join()}`);
}
