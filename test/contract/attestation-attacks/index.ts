// Attacks on the attestation protocol, each with a number of its own, and those that a reader of the product asks for
// first. Each is tried on a live API server with the controller in it, and ends with the token that names what was
// wrong.

import { describe, expect, it } from "vitest";
import type { AttestationStage } from "../attestation-stage.ts";
import type { Attacks } from "./attack.ts";
import { MACHINE_ATTACKS } from "./machines.ts";
import { NODE_ATTACKS } from "./nodes.ts";
import { PARSER_ATTACKS } from "./parsers.ts";
import { PROTOCOL_ATTACKS } from "./protocol.ts";
import { REPLICA_ATTACKS } from "./replicas.ts";
import { STRANGER_ATTACKS } from "./strangers.ts";
import { UNPROVEN_ATTACKS } from "./unproven.ts";

const ATTACKS: Attacks = {
  ...STRANGER_ATTACKS,
  ...MACHINE_ATTACKS,
  ...NODE_ATTACKS,
  ...PROTOCOL_ATTACKS,
  ...PARSER_ATTACKS,
  ...REPLICA_ATTACKS,
  ...UNPROVEN_ATTACKS,
};

const NUMBERS = Array.from({ length: 27 }, (_, index) => index + 1);

/** What people ask for, in their words → attack and attempt. */
const ASKED: Readonly<Record<string, readonly [attack: number, attempt: string]>> = {
  "stolen bootstrap token without TPM": [2, "answers with a secret that it made up"],
  "other machine's EK certificate": [3, "with the EK certificate of another TPM"],
  "software TPM with an unknown CA": [3, "certified by a maker that nobody knows, where first use is allowed"],
  "AK that is not restricted": [4, "a key that signs anything"],
  "AK that is not in the EK's TPM": [4, "a key in software with a TPM key's words, beside the victim's EK"],
  "replayed CSR 2": [5, "after it was issued and cleaned up"],
  "challenge answered late": [5, "answers after its time"],
  "CSR key swapped": [21, "for another key"],
  "node name of another Machine": [3, "in the name of another Machine"],
  "node name of a control-plane node": [3, "in the name of a control-plane node"],
  "node name of an existing Node": [3, "in the name of a registered Node"],
  "Machine of another cluster": [3, "for the Machine of another cluster"],
  "PCRs of a changed boot": [14, "after another boot than the policy lists"],
  "downgrade to insecure": [18, "to the insecure provider"],
  "downgrade to kubernetes.io/kube-apiserver-client-kubelet": [1, "under Kubernetes' own signer"],
  "two machines racing for one name": [23, "two machines, one name: the later proof"],
  "evidence of 1 MiB": [22, "a mebibyte of evidence"],
  "renewals after the Machine is deleted": [12, "of a node whose Machine was deleted"],
};

/** How the attacks end, each of which is seen on live API servers: reasons, and the API server's own words. */
export const ATTACK_TOKENS: ReadonlySet<string> = new Set(
  Object.values(ATTACKS).flatMap((attempts) => Object.values(attempts).map(([token]) => token)),
);

/** The attack's title by its number; titles begin with it. */
function attackOf(number: number): string {
  const title = Object.keys(ATTACKS).find((words) => words.startsWith(`${number} `));
  if (title === undefined) throw new Error(`attack ${number} has no test`);
  return title;
}

export function describeAttacks(on: AttestationStage): void {
  describe("attacks", () => {
    it("are all that the protocol lists, and all that people ask for", () => {
      expect(new Set(NUMBERS.map(attackOf))).toEqual(new Set(Object.keys(ATTACKS)));
      const missing = Object.entries(ASKED).filter(
        ([, [number, attempt]]) => ATTACKS[attackOf(number)]?.[attempt] === undefined,
      );
      expect(missing).toEqual([]);
    });

    describe.each(NUMBERS.map(attackOf))("%s", (title) => {
      it.each(Object.entries(ATTACKS[title] ?? {}).map(([words, [token, attempt]]) => ({ words, token, attempt })))(
        "$words → $token",
        async ({ token, attempt }) => {
          expect(await attempt(on)).toBe(token);
        },
      );
    });
  });
}
