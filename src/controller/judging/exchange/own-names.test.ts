import { describe, expect, it } from "vitest";
import { aPolicy } from "../../../../test/builders/csr-facts.ts";
import {
  aMachine,
  aNodeUser,
  anExchange,
  NODE,
  proofFacts,
  SERVING_SIGNER,
} from "../../../../test/builders/exchange.ts";
import type { Node, NodeAddress } from "../../../api/core/index.ts";
import type { Policy } from "../../../api/countersign/index.ts";
import type { Machine } from "../../../api/foreign/index.ts";
import { envelopeIn } from "../../../attestation/rules/index.ts";
import type { Seen } from "../../../kernel/outcome/index.ts";
import { ownersAmong } from "../../machines/match.ts";
import { seeForeignNames, seeOwnNames } from "./own-names.ts";
import type { EvidenceLook } from "./world.ts";

const present = <T>(value: T): Seen<T> => ({ kind: "Present", value });
const at = (address: string, type = "InternalIP"): NodeAddress => ({ type, address });
const aNode = (name: string, ...addresses: readonly string[]): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: { addresses: addresses.map((address) => at(address)) },
});

function aLook(names: { dnsNames?: string[]; ipAddresses?: string[] }, policy?: Policy): EvidenceLook {
  const statement = { intent: "renew", purpose: "serving", signer: SERVING_SIGNER } as const;
  const { reading } = proofFacts(anExchange({ statement, names, requester: aNodeUser() }));
  return { reading, envelope: envelopeIn({ reading }), policy } as EvidenceLook;
}

interface Around {
  readonly own?: readonly string[];
  readonly nodes?: readonly Node[];
  readonly neighbour?: Machine;
}

/** The names of the request that are another's. */
function foreignAmong(look: EvidenceLook, { own = [], nodes = [], neighbour }: Around): readonly string[] {
  const machine = { ...aMachine(), addresses: own.map((address) => at(address)) };
  const machines = neighbour === undefined ? [machine] : [machine, neighbour];
  const has = ({ addresses }: Machine, name: string) => addresses.some(({ address }) => address === name);
  const seen = seeForeignNames(
    {
      nodesNamed: (name) =>
        nodes.filter(
          ({ metadata, status }) =>
            metadata.name === name || (status?.addresses ?? []).some(({ address }) => address === name),
        ),
      machineOwners: (names, query) => ownersAmong(names, query, (name) => machines.filter((one) => has(one, name))),
    },
    look,
    { machines: present([machine]), scope: { clusterName: undefined, namespace: undefined } },
  );
  const { foreignNames, disputedNames } = seen;
  const foreign = foreignNames.kind === "Present" ? [...foreignNames.value.values()] : [foreignNames.kind];
  return [...foreign, ...[...disputedNames.values()].map((other) => `only ${other} says so`)];
}

const neighbour: Machine = {
  ...aMachine(),
  name: "other",
  uid: "other",
  nodeName: undefined,
  addresses: [at("10.0.0.9")],
};

describe("the names of a serving request with evidence", () => {
  const policy = aPolicy({ serving: { inventory: { ipPrefixes: ["10.0.0.0/8"], nodeAddresses: true } } });
  const taken = aLook({ ipAddresses: ["10.0.0.9"] }, policy);

  it("may be in a network of the policy, or be what the node says of itself", () => {
    const own = (look: EvidenceLook, node: Seen<Node>) => {
      const seen = seeOwnNames(look, present([aMachine()]), node);
      return seen.kind === "Present" ? seen.value : [];
    };
    expect(own(taken, { kind: "Absent" })).toContain("10.0.0.9");
    expect(own(aLook({ ipAddresses: ["192.0.2.1"] }, policy), { kind: "Absent" })).not.toContain("192.0.2.1");
    expect(own(aLook({ ipAddresses: ["192.0.2.1"] }, policy), present(aNode(NODE, "192.0.2.1")))).toContain(
      "192.0.2.1",
    );
  });

  it("are a neighbour's where its Machine has them or its Node is called so", () => {
    expect(foreignAmong(taken, { neighbour })).toEqual(["Machine default/other"]);
    const named = aLook({ dnsNames: ["other"] }, policy);
    expect(foreignAmong(named, { own: ["other"], nodes: [aNode("other")] })).toEqual(["node other"]);
  });

  it("are in dispute where nobody but a neighbour's status says whose they are, and no list of the policy settles it", () => {
    const nodes = [aNode("other", "10.0.0.9")];
    expect(foreignAmong(taken, { nodes })).toEqual(["only other says so"]);
    const listed = (nodeNames: string) => {
      const allow = [{ nodeNames, names: ["10.0.0.9"] }];
      return aLook({ ipAddresses: ["10.0.0.9"] }, aPolicy({ serving: { inventory: { allow } } }));
    };
    expect(foreignAmong(listed(NODE), { nodes })).toEqual([]);
    expect(foreignAmong(listed("other"), { nodes })).toEqual(["only other says so"]);
    expect(foreignAmong(listed(".*"), { nodes })).toEqual(["only other says so"]);
  });

  it("are nobody else's where none has them, or only the node itself", () => {
    expect(foreignAmong(taken, {})).toEqual([]);
    expect(foreignAmong(taken, { nodes: [aNode(NODE, "10.0.0.9"), aNode("other", "10.0.0.8")] })).toEqual([]);
  });

  it("stay the machine's by the infrastructure's word, whatever a neighbour says of itself", () => {
    expect(foreignAmong(taken, { own: ["10.0.0.9"], nodes: [aNode("liar", "10.0.0.9")] })).toEqual([]);
    expect(foreignAmong(aLook({ dnsNames: [NODE] }), { nodes: [aNode("liar", NODE)] })).toEqual([]);
  });

  it("are compared in one spelling", () => {
    const odd = aLook({ dnsNames: ["OTHER.example."] }, policy);
    expect(foreignAmong(odd, { nodes: [aNode("other", "other.example")] })).toEqual(["only other says so"]);
  });

  it("need a policy where no Machine says them", () => {
    const look = { ...aLook({ ipAddresses: ["10.0.0.9"] }), object: { signerName: SERVING_SIGNER } } as EvidenceLook;
    const unsaid = { kind: "NotRead", why: expect.stringContaining(`one for ${SERVING_SIGNER} is needed`) };
    expect(seeOwnNames(look, { kind: "Absent" }, { kind: "Absent" })).toEqual(unsaid);
    expect(seeOwnNames(look, present([]), { kind: "Absent" })).toEqual(unsaid);
    expect(seeOwnNames(look, present([aMachine()]), { kind: "Absent" }).kind).toBe("Present");
  });

  it("are not looked for where a client certificate is asked for", () => {
    const { reading } = proofFacts(anExchange());
    const look = { reading, envelope: envelopeIn({ reading }), policy } as EvidenceLook;
    expect(foreignAmong(look, {})).toEqual(["Absent"]);
    expect(seeOwnNames(look, present([]), { kind: "Absent" })).toEqual({ kind: "Absent" });
  });
});
