// Issuing certificates against Go's crypto/x509 and @peculiar/x509, one core each. Ratios are our operations a second
// divided by theirs.
import { compare, elapsedNs } from "./frame/measure.mjs";
import { createAuthority, createRequests, issue } from "./x509/duty.mjs";
import { startIssuingPeer } from "./x509/go.mjs";
import { createPeculiarIssuer } from "./x509/peculiar.mjs";

export const title = "CSR read, verify, sign and check: ours ÷ Go crypto/x509, ours ÷ @peculiar/x509";

const COUNT = 200;
const ROUNDS = 9;

export async function run() {
  const requests = createRequests(COUNT);
  const authorities = { rsa: createAuthority("RSA-2048"), p256: createAuthority("P-256") };
  const go = startIssuingPeer(authorities, requests);
  const peculiar = await createPeculiarIssuer(authorities.p256);
  /** @param {import("./x509/duty.mjs").Authority} authority */
  const ours = (authority) => () =>
    elapsedNs(() => {
      for (const request of requests) issue(authority, request);
    });
  try {
    const plan = { rounds: ROUNDS, count: COUNT };
    const rsa = await compare({ ours: ours(authorities.rsa), go: () => go.round("rsa") }, plan);
    const p256 = await compare(
      {
        ours: ours(authorities.p256),
        go: () => go.round("p256"),
        peculiar: () =>
          elapsedNs(async () => {
            for (const request of requests) await peculiar(request);
          }),
      },
      plan,
    );
    say("RSA-2048 CA", rsa);
    say("P-256 CA", p256);
    return [
      { name: "x509-issue", value: rsa.ours / rsa.go, goal: 1.5 },
      { name: "x509-issue-p256", value: p256.ours / p256.go, goal: 0.65 },
      { name: "x509-peculiar", value: p256.ours / p256.peculiar, goal: 8 },
    ];
  } finally {
    go.stop();
  }
}

/** @param {string} what @param {Readonly<Record<string, number>>} rates */
function say(what, rates) {
  const parts = Object.entries(rates).map(([name, rate]) => `${name} ${rate.toFixed(0)}/s`);
  console.log(`  ${what.padEnd(12)} ${parts.join("   ")}   (${COUNT} requests, median of ${ROUNDS} rounds)`);
}
