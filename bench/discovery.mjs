// Discovery's answers, signed and plain: what the filter costs on the embedded server, and what the gateway costs
// before a real kube-apiserver. TLS with keep-alive, 32 connections, a document of 1 KiB, a JWT of its own for every
// request.
import { inFlight } from "./apiserver/client.mjs";
import { createReader } from "./discovery/reader.mjs";
import { startServers } from "./discovery/servers.mjs";
import { compare } from "./frame/measure.mjs";

export const title =
  "signed ÷ plain answers of the embedded server; through the gateway ÷ direct before kube-apiserver";

/** More rounds for numbers to publish, one for a quick look: COUNTERSIGN_BENCH_ROUNDS. */
const ROUNDS = Number(process.env["COUNTERSIGN_BENCH_ROUNDS"] ?? "5");
const ANSWERS = 2_000;

export async function run() {
  const servers = await startServers();
  const readers = {
    embedded: createReader(servers.embedded),
    direct: createReader(servers.direct),
    gateway: createReader(servers.gateway),
  };
  try {
    const rates = await compare(
      {
        plain: () => read(readers.embedded, "plain"),
        signed: () => read(readers.embedded, "signed"),
        direct: () => read(readers.direct, "plain"),
        passed: () => read(readers.gateway, "plain"),
        gateway: () => read(readers.gateway, "signed"),
      },
      { rounds: ROUNDS, count: ANSWERS },
    );
    say("embedded", { plain: rates.plain, signed: rates.signed });
    say("kube-apiserver", { direct: rates.direct, "through the gateway": rates.passed, "signed by it": rates.gateway });
    return [
      { name: "discovery-filter", value: rates.signed / rates.plain, goal: 0.95 },
      // The same request both ways. A signed one costs the API server more than a token: it checks the gateway's
      // certificate.
      { name: "discovery-gateway", value: rates.passed / rates.direct, goal: 0.7 },
    ];
  } finally {
    await Promise.all(Object.values(readers).map((reader) => reader.close()));
    await servers.stop();
  }
}

/**
 * JWTs are made before the clock starts: they are the clients' work.
 * @param {ReturnType<typeof createReader>} reader
 * @param {"plain" | "signed"} kind
 */
async function read(reader, kind) {
  const credentials = reader.credentials(kind, ANSWERS);
  const bodies = new Set();
  const ns = await inFlight(ANSWERS, async (index) => {
    const credential = credentials[index] ?? "";
    const { body, jws } = await reader.get(credential);
    bodies.add(body.length);
    if ((jws !== undefined) !== (kind === "signed")) throw new Error(`an answer that should be ${kind} is not`);
    if (index % 500 === 0 && kind === "signed") reader.verify(body, String(jws), credential);
  });
  if (bodies.size !== 1) throw new Error("answers differ in length");
  return ns;
}

/** @param {string} where @param {Readonly<Record<string, number>>} rates */
function say(where, rates) {
  const told = Object.entries(rates).map(([name, rate]) => `${name} ${rate.toFixed(0)}/s`);
  console.log(`  ${where.padEnd(16)} ${told.join("   ")}   (${ANSWERS} answers a round, median of ${ROUNDS})`);
}
