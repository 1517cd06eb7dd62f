import { describe, expect, it } from "vitest";
import { aMachine, aNodeUser, anExchange, anIdentity, NODE, tpmHash } from "../../../test/builders/exchange.ts";
import {
  anotherPlace,
  exchange,
  HELLO_REFUSALS,
  hello,
  late,
  other,
  present,
  reset,
  serving,
  tpm,
  withFields,
} from "../../../test/builders/refusals/hello.ts";
import { aSoftTpm } from "../../../test/builders/soft-tpm.ts";
import type { Verdict } from "../../kernel/outcome/index.ts";
import { credentialAlarms } from "../rules/requester.ts";
import type { TpmHelloFacts } from "./facts.ts";
import { judgeTpmHello } from "./judge.ts";

const spoken = (verdict: Verdict) => `${verdict.kind} ${verdict.reason}`;

describe("a hello", () => {
  const allowed: Readonly<Record<string, () => TpmHelloFacts>> = {
    "of a listed TPM for a waiting Machine": () => hello(exchange),
    "with an RSA attestation key": () => hello(anExchange({ tpm: aSoftTpm({ ak: "rsa" }) })),
    "with an attestation key that is exempt from lockout": () => hello(withFields({ attributes: 0x00050472 })),
    "of a re-imaged machine whose Node still exists": () =>
      hello(exchange, { identity: present(anIdentity(tpm)), node: present({ uid: "n" }) }),
    "of a new TPM after an operator's reset": () =>
      hello(exchange, { identity: present(reset()), node: present({ uid: "n" }) }),
    "of the very TPM that the reset names": () =>
      hello(exchange, { identity: present(reset({ ekSpkiSha256: tpmHash(tpm) })) }),
    "of a name whose identity was retired": () =>
      hello(exchange, { identity: present(anIdentity(other, { phase: "Retired" })) }),
    "of a listed user that is no bootstrap token": () =>
      hello(anExchange({ tpm, requester: { username: "image-builder", groups: [] } }), {
        listedRequesters: ["image-builder"],
      }),
    "of a node enrolled by its operator, in a cluster without Machines": () =>
      hello(exchange, {
        machines: { kind: "Absent" },
        identity: present({ ...anIdentity(tpm), status: undefined } as never),
      }),
    "of a node enrolled by its operator, beside Machines of others": () =>
      hello(exchange, {
        machines: present([]),
        identity: present({ ...anIdentity(tpm), status: undefined } as never),
      }),
    "for a renewal with the node's current certificate": () =>
      hello(anExchange({ tpm, statement: { intent: "renew" }, requester: aNodeUser() }), {
        identity: present(anIdentity(tpm)),
        node: present({ uid: "n" }),
      }),
    "for a serving certificate": serving,
    "for a client certificate, where the policy leaves serving ones to people": () =>
      hello(exchange, { servingLeftBy: "fleet" }),
    "of a node whose Machine was moved to another management cluster": () =>
      hello(exchange, { identity: present(anIdentity(tpm, { machine: { ...anotherPlace, namespace: "default" } })) }),
    "of a Machine of another namespace, after an operator's reset": () =>
      hello(exchange, {
        identity: present({ ...reset(), status: { ...reset().status, machine: anotherPlace } }),
      }),
    "whose Machine has the name among its addresses": () =>
      hello(exchange, {
        machines: present([aMachine({ name: "m-1", addresses: [{ type: "Hostname", address: NODE }] })]),
      }),
    "whose name the policy's template gives": () =>
      hello(exchange, { machines: present([aMachine({ name: "m-1" })]), templateNames: [NODE] }),
    "of a member of a pool whose name the policy's template gives": () =>
      hello(exchange, { machines: present([aMachine({ name: "pool", isPoolMember: true })]), templateNames: [NODE] }),
    "with the Machine's own token": () =>
      hello(exchange, { tokenMachine: present({ namespace: "default", name: NODE }) }),
    "of a TPM that the platform binds to the Machine": () =>
      hello(exchange, { policy: { tpm: {} }, sources: [{ name: "vcenter", statement: present(tpmHash(tpm)) }] }),
  };
  it.each(Object.entries(allowed))("is challenged: %s", (_, facts) => {
    const { verdict, trail } = judgeTpmHello(facts());
    expect(`${spoken(verdict)} ${verdict.message}`).toContain("Allow MayBeChallenged");
    expect(trail.every(({ outcome }) => outcome === "pass")).toBe(true);
  });

  it("with the previous certificate is challenged, and an alarm an hour after the current one was given", () => {
    for (const [ageMs, alarms] of [
      [3_600_000, []],
      [3_600_001, ["PreviousCredentialUsed"]],
    ] as const) {
      const facts = late(ageMs);
      expect(spoken(judgeTpmHello(facts).verdict)).toBe("Allow MayBeChallenged");
      expect(credentialAlarms(facts).map(({ reason }) => reason)).toEqual(alarms);
    }
  });

  it.each(Object.entries(HELLO_REFUSALS))("%s", (_, [facts, expected]) => {
    expect(spoken(judgeTpmHello(facts()).verdict)).toBe(expected);
  });

  it("with the TPM of another cluster's node is not told which", () => {
    const otherHolders = present([
      { identity: "west.secret-name", nodeName: undefined },
      { identity: "east.worker-9", nodeName: "worker-9" },
    ]);
    const { verdict } = judgeTpmHello(hello(exchange, { otherHolders }));
    expect(verdict).toMatchObject({ reason: "EndorsementKeyInUse" });
    expect(verdict.message).toBe("the TPM is that of node worker-9, a node of another cluster");
  });
});
