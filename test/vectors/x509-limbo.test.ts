// validateChain against x509-limbo. A case's verdict is ours if it equals the data's; every other verdict must stand in
// x509-limbo-exceptions.ts with a reason, and an exception that no longer is one fails too.
import { describe, expect, it } from "vitest";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import {
  type Certificate,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  parseCertificate,
  validateChain,
} from "../../src/kernel/x509/index.ts";
import { hasVectors, loadVectors, sayNotRun } from "./vectors.ts";
import { ACCEPTED_ON_PURPOSE, LEFT_OUT, REFUSED_ON_PURPOSE } from "./x509-limbo-exceptions.ts";

interface LimboCase {
  readonly id: string;
  readonly validation_kind: "SERVER" | "CLIENT";
  readonly trusted_certs: readonly string[];
  readonly untrusted_intermediates: readonly string[];
  readonly peer_certificate: string;
  readonly validation_time: string | null;
  readonly expected_result: "SUCCESS" | "FAILURE";
  readonly expected_peer_name: { readonly kind: "DNS" | "IP" | "RFC822"; readonly value: string } | null;
  readonly max_chain_depth: number | null;
  readonly extended_key_usage: readonly ("clientAuth" | "serverAuth")[];
}

const CASES = 194;
/** The cases without a time of their own are valid from 1970 to 2969. */
const DEFAULT_NOW_MS = Date.UTC(2026, 0, 1);

function parseOne(pem: string): Certificate | undefined {
  try {
    return parsePem(pem).map(({ bytes }) => parseCertificate(bytes))[0];
  } catch (fault) {
    if (isFault(fault)) return undefined;
    throw fault;
  }
}

/** As a product reads a bundle: a certificate that cannot be parsed is not in it. */
function parseAll(pems: readonly string[]): Certificate[] {
  return pems.map(parseOne).filter((certificate) => certificate !== undefined);
}

const USAGES = { clientAuth: EKU_CLIENT_AUTH, serverAuth: EKU_SERVER_AUTH };

/** Where a case names usages, it names one; else the kind of peer implies it. */
function usageOf({ id, extended_key_usage: [named, ...more], validation_kind }: LimboCase): string {
  expect(more, id).toEqual([]);
  return USAGES[named ?? (validation_kind === "SERVER" ? "serverAuth" : "clientAuth")];
}

/** "SUCCESS", or why not. */
function judge(limbo: LimboCase): string {
  const leaf = parseOne(limbo.peer_certificate);
  if (leaf === undefined) return "leaf does not parse";
  const peer = limbo.expected_peer_name;
  const result = validateChain({
    leaf,
    intermediates: parseAll(limbo.untrusted_intermediates),
    roots: parseAll(limbo.trusted_certs),
    nowMs: limbo.validation_time === null ? DEFAULT_NOW_MS : Date.parse(limbo.validation_time),
    usage: usageOf(limbo),
    ...(peer?.kind === "DNS" ? { dnsName: peer.value } : {}),
    ...(peer?.kind === "IP" ? { ipAddress: peer.value } : {}),
    ...(limbo.max_chain_depth === null ? {} : { maxIntermediates: limbo.max_chain_depth }),
  });
  return result.ok ? "SUCCESS" : result.message;
}

describe("x509-limbo", () => {
  if (!hasVectors) {
    sayNotRun("x509-limbo", CASES);
    it.skip(`${CASES} cases need the data`, () => undefined);
    return;
  }
  const { testcases } = loadVectors<{ testcases: readonly LimboCase[] }>("x509-limbo.json");

  it("has the number of cases this suite was written for, and every exception is one of them", () => {
    const ids = new Set(testcases.map(({ id }) => id));
    expect(testcases).toHaveLength(CASES);
    const listed = [...LEFT_OUT.keys(), ...ACCEPTED_ON_PURPOSE.keys(), ...REFUSED_ON_PURPOSE.keys()];
    expect(listed.filter((id) => !ids.has(id))).toEqual([]);
    expect(listed).toHaveLength(new Set(listed).size);
  });

  for (const limbo of testcases) {
    if (LEFT_OUT.has(limbo.id)) continue;
    it(`${limbo.expected_result === "SUCCESS" ? "accepts" : "refuses"} ${limbo.id}`, () => {
      const isException = ACCEPTED_ON_PURPOSE.has(limbo.id) || REFUSED_ON_PURPOSE.has(limbo.id);
      const verdict = judge(limbo);
      expect(verdict === "SUCCESS" ? "SUCCESS" : "FAILURE", verdict).toBe(
        isException ? (ACCEPTED_ON_PURPOSE.has(limbo.id) ? "SUCCESS" : "FAILURE") : limbo.expected_result,
      );
    });
  }
});
