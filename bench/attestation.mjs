// Verifying a machine's evidence against go-attestation, in seconds of one core each, on the same recorded bytes: the
// ratio is our verifications a second divided by theirs, over as many machines with an ECC attestation key as with an
// RSA one. And what a join with a TPM costs beside a plain one.
import { createVerifyDuty, loadExchange } from "./attestation/duty.mjs";
import { startVerifyingPeer } from "./attestation/go.mjs";
import { measureJoins } from "./attestation/join.mjs";
import { compare, processorNs } from "./frame/measure.mjs";

export const title = "EK chain, credential and quote of a TPM: ours ÷ go-attestation; a plain join ÷ one with a TPM";

const COUNT = 100;
const ROUNDS = 15;
/** A controller that has been running has compiled this code; Go compiled its own before it started. */
const WARM_UP = 1_000;

export async function run() {
  const verify = await compareVerifying();
  const join = await measureJoins();
  return [
    { name: "attestation-verify", value: verify, goal: 1 },
    ...(join === undefined ? [] : [{ name: "attestation-join", value: join, goal: 0.4 }]),
  ];
}

async function compareVerifying() {
  const exchanges = { ecc: loadExchange("exchange-l-1-ecc"), rsa: loadExchange("exchange-l-1-rsa") };
  const duties = { ecc: createVerifyDuty(exchanges.ecc), rsa: createVerifyDuty(exchanges.rsa) };
  const go = startVerifyingPeer(exchanges, COUNT);
  for (let done = 0; done < WARM_UP; done++) for (const duty of Object.values(duties)) duty();
  /** @param {() => void} duty */
  const ours = (duty) => () =>
    processorNs(() => {
      for (let done = 0; done < COUNT; done++) duty();
    });
  try {
    const plan = { rounds: ROUNDS, count: COUNT };
    const ecc = await compare({ ours: ours(duties.ecc), go: () => go.round("ecc") }, plan);
    const rsa = await compare({ ours: ours(duties.rsa), go: () => go.round("rsa") }, plan);
    say("P-256 attestation key", ecc);
    say("RSA attestation key", rsa);
    const both = { ours: together(ecc.ours, rsa.ours), go: together(ecc.go, rsa.go) };
    return both.ours / both.go;
  } finally {
    go.stop();
  }
}

/** Operations a second of two kinds, one of each in turn. @param {number} one @param {number} other */
function together(one, other) {
  return 2 / (1 / one + 1 / other);
}

/** @param {string} what @param {Readonly<Record<string, number>>} rates */
function say(what, rates) {
  const parts = Object.entries(rates).map(([name, rate]) => `${name} ${rate.toFixed(0)}/s of a core`);
  console.log(`  ${what.padEnd(22)} ${parts.join("   ")}   (${COUNT} machines, median of ${ROUNDS} rounds)`);
}
