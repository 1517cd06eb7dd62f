import { describe, expect, it } from "vitest";
import { anExchange, anIdentity, helloFacts, NODE, NOW_MS, tpmHash } from "../../../test/builders/exchange.ts";
import { aRevocationList, type ListOptions } from "../../../test/builders/revocation-list.ts";
import { aSoftTpm } from "../../../test/builders/soft-tpm.ts";
import { aLeaf, anIntermediate, aRoot } from "../../../test/builders/x509.ts";
import { parseHex } from "../../kernel/bytes/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import {
  type Extension,
  extKeyUsageExtension,
  OID_SUBJECT_ALT_NAME,
  parseRevocationList,
} from "../../kernel/x509/index.ts";
import { attempt } from "../rules/reading.ts";
import type { EndorsementFacts } from "./facts.ts";
import { isRocaModulus, judgeGenuine, judgeTrust, TRUST_SOURCES } from "./trust.ts";

const present = <T>(value: T): Extract<Seen<T>, { kind: "Present" }> => ({ kind: "Present", value });
const tpm = aSoftTpm();
const exchange = anExchange({ tpm });
const YEAR_MS = 365 * 86_400_000;
const times = { notBeforeMs: NOW_MS - YEAR_MS, notAfterMs: NOW_MS + YEAR_MS };
const root = aRoot(times);
const issuer = anIntermediate(root, times);
/** As makers write it: an EK usage, and a critical name that is only a directory name. */
const tcgNames: Extension = {
  oid: OID_SUBJECT_ALT_NAME,
  critical: true,
  value: parseHex("3018a416301431123010060567810502010c0769643a31303134"),
};
const makers = { extensions: [tcgNames, extKeyUsageExtension(["2.23.133.8.1"])], subject: {} };

function factsWith(
  overrides: Partial<EndorsementFacts>,
  chain: readonly ReturnType<typeof aLeaf>[] = [],
): EndorsementFacts {
  const facts = helloFacts(exchange, { policy: { tpm: {} }, ...overrides });
  if (!facts.keys.endorsementKey.ok) throw new Error("no key");
  const key = { ...facts.keys.endorsementKey.value, chain: chain.map(({ certificate }) => certificate) };
  return { ...facts, keys: { ...facts.keys, endorsementKey: { ok: true, value: key } } };
}

function ask(facts: EndorsementFacts): string {
  if (!facts.keys.endorsementKey.ok) return "no key";
  const answer = judgeTrust(facts.keys.endorsementKey.value, facts);
  if (answer.kind === "Trusted") return answer.level;
  return answer.kind === "Silent" ? `Silent: ${answer.why ?? ""}` : answer.reason;
}

describe("trust in an endorsement key", () => {
  const enrolled = (hash: string) =>
    present({
      ...anIdentity(tpm),
      status: undefined as never,
      spec: { nodeName: NODE, tpm: { ek: { spkiSha256: hash } } },
    });
  const reopened = (hash: string, ekSpkiSha256?: string) => {
    const { value } = enrolled(hash);
    const until = new Date(NOW_MS + 60_000).toISOString();
    const reset = { until, ...(ekSpkiSha256 === undefined ? {} : { ekSpkiSha256 }) };
    return present({ ...value, spec: { ...value.spec, reset } });
  };
  const listed = { tpm: { endorsementKeys: [tpmHash(tpm)] } };
  const allowed = { tpm: { firstUse: "Allow" } } as const;
  const certified = { roots: [root.certificate], intermediates: [issuer.certificate] };
  const leaf = aLeaf(issuer, { ...times, ...makers });
  const expired = aLeaf(issuer, { notBeforeMs: NOW_MS - YEAR_MS, notAfterMs: NOW_MS - 1000, ...makers });

  const rows: Readonly<Record<string, [() => EndorsementFacts, string]>> = {
    "0 denied, though pinned": [
      () => factsWith({ deniedKeys: [tpmHash(tpm)], identity: present(anIdentity(tpm)) }),
      "EndorsementKeyDenied",
    ],
    "0 denied by the policy": [
      () => factsWith({ policy: { tpm: { deniedEndorsementKeys: [tpmHash(tpm)] } } }),
      "EndorsementKeyDenied",
    ],
    "1 pinned, whatever others say": [
      () => factsWith({ identity: present(anIdentity(tpm)), sources: [{ name: "x", statement: present("00") }] }),
      "Pinned",
    ],
    "2 bound by the operator": [() => factsWith({ identity: enrolled(tpmHash(tpm)) }), "Bound"],
    "2 another one bound by the operator, though listed": [
      () => factsWith({ identity: enrolled("00".repeat(32)), policy: listed }),
      "EndorsementKeyUntrusted",
    ],
    "2 bound by the operator's reset, whatever the enrolment said": [
      () => factsWith({ identity: reopened("00".repeat(32), tpmHash(tpm)) }),
      "Bound",
    ],
    "2 another one bound by the operator's reset, though enrolled": [
      () => factsWith({ identity: reopened(tpmHash(tpm), "00".repeat(32)) }),
      "EndorsementKeyUntrusted",
    ],
    "2 bound by the enrolment, where the reset names none": [
      () => factsWith({ identity: reopened(tpmHash(tpm)) }),
      "Bound",
    ],
    "3 bound by the platform": [
      () => factsWith({ sources: [{ name: "vcenter", statement: present(tpmHash(tpm)) }] }),
      "Bound",
    ],
    "3 operator and platform disagree": [
      () => factsWith({ identity: enrolled(tpmHash(tpm)), sources: [{ name: "vcenter", statement: present("00") }] }),
      "EndorsementKeyConflict",
    ],
    "3 the platform cannot be asked": [
      () => factsWith({ sources: [{ name: "vcenter", statement: { kind: "NotRead", why: "down" } }], policy: listed }),
      "EndorserUnavailable",
    ],
    "4 listed": [() => factsWith({ policy: listed }), "Listed"],
    "5 genuine alone admits nobody": [
      () => factsWith(certified, [leaf]),
      "Silent: a maker's certificate alone admits nobody; list or enroll the key",
    ],
    "6 genuine at first use, in writing": [() => factsWith({ ...certified, policy: allowed }, [leaf]), "FirstUse"],
    "6 with the issuer sent along": [
      () => factsWith({ roots: [root.certificate], policy: allowed }, [leaf, issuer]),
      "FirstUse",
    ],
    "6 an expired certificate, reported": [() => factsWith({ ...certified, policy: allowed }, [expired]), "FirstUse"],
  };
  it.each(Object.entries(rows))("%s", (_, [facts, expected]) => expect(ask(facts())).toBe(expected));

  const silent: Readonly<Record<string, () => EndorsementFacts>> = {
    "no certificate": () => factsWith({ ...certified, policy: allowed }),
    "another maker's root": () =>
      factsWith({ roots: [aRoot(times).certificate], intermediates: [issuer.certificate], policy: allowed }, [leaf]),
    "a missing issuer": () => factsWith({ roots: [root.certificate], policy: allowed }, [leaf]),
    "an expired certificate where time counts": () =>
      factsWith({ ...certified, policy: { tpm: { firstUse: "Allow", certificateValidity: "Enforce" } } }, [expired]),
  };
  it.each(Object.entries(silent))("is not given at first use with %s", (_, facts) =>
    expect(ask(facts())).toMatch(/^Silent: ./),
  );

  describe("with revocation lists", () => {
    const read = (bytes: Uint8Array) => attempt("", () => parseRevocationList(bytes));
    const of = (holder: typeof root, serial: number, more: ListOptions = {}) =>
      read(aRevocationList(holder, { serials: [Uint8Array.of(serial)], ...more }));
    const lists = (...revocationLists: EndorsementFacts["revocationLists"]) =>
      factsWith({ ...certified, policy: allowed, revocationLists }, [leaf]);
    const enforced = { tpm: { firstUse: "Allow", certificateValidity: "Enforce" } } as const;

    it.each<[string, () => EndorsementFacts]>([
      ["that name others", () => lists(of(issuer, 8), of(root, 9))],
      ["that another signed in the issuer's name", () => lists(of({ ...issuer, key: root.key }, 7))],
      ["of other makers", () => lists(of(aRoot(times), 7))],
      ["that are old", () => lists(of(issuer, 8, { nextUpdateMs: NOW_MS - 1_000 }))],
    ])("%s, a TPM is genuine", (_, facts) => expect(ask(facts())).toBe("FirstUse"));

    it.each<[string, () => EndorsementFacts, RegExp]>([
      ["that name its certificate", () => lists(of(issuer, 7)), /its maker revoked/],
      ["that name its issuer", () => lists(of(root, 7)), /its maker revoked/],
      [
        "whose signature is of a kind that nobody here verifies",
        () => lists(of(issuer, 8, { algorithm: "1.2.840.113549.1.1.5" })),
        /cannot be verified/,
      ],
      ["that cannot be read", () => lists(read(Uint8Array.of(1))), /cannot be read/],
      [
        "that are old where time counts",
        () => ({ ...lists(of(issuer, 8, { nextUpdateMs: NOW_MS - 1_000 })), policy: enforced }),
        /out of date/,
      ],
    ])("%s, it is not", (_, facts, why) => expect(ask(facts())).toMatch(why));
  });

  it("has its sources in the protocol's order", () => {
    expect(TRUST_SOURCES.map(({ id }) => id)).toEqual(["deny-list", "pins", "bound", "listed", "first-use"]);
    const facts = factsWith(certified, [leaf]);
    expect(facts.keys.endorsementKey.ok && judgeGenuine(facts.keys.endorsementKey.value, facts).isGenuine).toBe(true);
  });

  it("knows keys with the ROCA weakness from sound ones", () => {
    // 65537^i modulo the product of the primes: the form of a weak modulus.
    const product = [
      3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
      113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
    ].reduce((all, prime) => all * BigInt(prime), 1n);
    let power = 1n;
    for (let i = 0; i < 4321; i++) power = (power * 65537n) % product;
    const weak = (product * 12345n + power).toString(16).padStart(120, "0");
    expect(isRocaModulus(parseHex(weak.length % 2 === 0 ? weak : `0${weak}`))).toBe(true);
    expect(isRocaModulus(new Uint8Array(256).fill(0xab))).toBe(false);
  });
});
