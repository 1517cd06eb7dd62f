import { describe, expect, it } from "vitest";
import recorded from "../../../test/vectors/tpm/swtpm.json" with { type: "json" };
import { encodeHex, parseHex } from "../bytes/index.ts";
import { isFault } from "../outcome/index.ts";
import { getRandom } from "./commands/basic.ts";
import { loadExternal } from "./commands/objects.ts";
import {
  activateCredential,
  createPrimary,
  EK_TEMPLATES,
  flushContext,
  getHandles,
  getProperties,
  HANDLE,
  mustSendAgain,
  nvRead,
  PROPERTY,
  parsePublicArea,
  pcrRead,
  policySecret,
  quote,
  responseSize,
  startPolicySession,
  startup,
} from "./index.ts";
import { responseFault } from "./response-code.ts";

const { makeCredential } = recorded;
const hex = parseHex;

describe("commands, byte for byte as a TPM took them", () => {
  const seed = hex(recorded.activateCredential.request.slice(-512));
  const sent: Readonly<Record<string, [Uint8Array, string]>> = {
    Startup: [startup().bytes, "80010000000c000001440000"],
    GetRandom: [getRandom(8).bytes, "80010000000c0000017b0008"],
    FlushContext: [flushContext(0x80000000).bytes, "80010000000e0000016580000000"],
    GetCapability: [getProperties(PROPERTY.manufacturer).bytes, "8001000000160000017a000000060000010500000001"],
    NV_Read: [
      nvRead({ index: 0x01c00002, authority: 0x01c00002, offset: 0, octets: 1015 }).bytes,
      "8002000000230000014e01c0000201c000020000000940000009000001000003f70000",
    ],
    CreatePrimary: [createPrimary(HANDLE.endorsement, EK_TEMPLATES["L-1"]).bytes, recorded.createPrimary.request],
    LoadExternal: [
      loadExternal(hex(recorded.externalPublic)).bytes,
      `8001000000${"6a"}00000167${"0000"}0058${recorded.externalPublic}40000007`,
    ],
    StartAuthSession: [startPolicySession(new Uint8Array(16)).bytes, recorded.startAuthSession.request],
    PolicySecret: [policySecret(HANDLE.endorsement, 0x03000000).bytes, recorded.policySecret.request],
    ActivateCredential: [
      activateCredential({
        attestationKey: 0x80000001,
        endorsementKey: 0x80000000,
        session: 0x03000000,
        credential: {
          credentialBlob: hex(`0044${makeCredential.idObjectWithoutOuterSize}`),
          encryptedSecret: hex(`0100${encodeHex(seed)}`),
        },
      }).bytes,
      recorded.activateCredential.request.replace("03000000000000", "03000000000001"),
    ],
    PCR_Read: [pcrRead([{ hash: 0xb, pcrs: [0, 1, 7, 16] }]).bytes, recorded.quote.pcrRead.request],
    Quote: [
      quote({
        key: 0x80000001,
        extraData: Buffer.from(recorded.quote.nonceAscii),
        selections: [{ hash: 0xb, pcrs: [0, 1, 7, 16] }],
      }).bytes,
      recorded.quote.request,
    ],
  };
  it.each(Object.entries(sent))("%s", (_, [bytes, expected]) => expect(encodeHex(bytes)).toBe(expected));
});

describe("responses", () => {
  it("of CreatePrimary, a session, activation, PCRs and a quote", () => {
    const created = createPrimary(HANDLE.endorsement, EK_TEMPLATES["L-1"]).parse(hex(recorded.createPrimary.response));
    expect(created.handle).toBe(0x80000000);
    expect(created.publicArea).toEqual(parsePublicArea(hex(recorded.createPrimary.public)));
    expect(encodeHex(created.name)).toBe(recorded.createPrimary.name);
    expect(startPolicySession(new Uint8Array(16)).parse(hex(recorded.startAuthSession.response))).toBe(0x03000000);
    expect(policySecret(HANDLE.endorsement, 1).parse(hex(recorded.policySecret.response))).toBeUndefined();
    const activation = {
      attestationKey: 1,
      endorsementKey: 2,
      credential: { credentialBlob: hex("00"), encryptedSecret: hex("00") },
    };
    const secret = activateCredential(activation).parse(hex(recorded.activateCredential.response));
    expect(encodeHex(secret)).toBe(makeCredential.secret);
    const read = pcrRead([]).parse(hex(recorded.quote.pcrRead.response));
    expect(read.values.map(encodeHex)).toEqual(Object.values(recorded.quote.pcrsSha256));
    const quoted = quote({ key: 1, extraData: hex(""), selections: [] }).parse(hex(recorded.quote.response));
    expect(encodeHex(quoted.attest)).toBe(recorded.quote.attest);
    expect(encodeHex(quoted.signature)).toBe(recorded.quote.signature);
    const properties = getProperties(0x105).parse(hex("80010000001b00000000010000000600000001000001054942" + "4d00"));
    expect(properties.get(0x105)).toBe(0x49424d00);
    expect(getHandles(0x80000000).parse(hex("800100000013000000000000000001" + "00000000"))).toEqual([]);
  });

  const bad: Readonly<Record<string, [string, string]>> = {
    "fewer octets than stated": ["80010000000e00000000000812", "14 octets"],
    "an answer of a TPM 1.2": ["00c40000000a00000000", "TPM 2.0"],
    "an answer to a command with sessions": ["80020000000a00000000", "another kind"],
    "a header cut short": ["8001000000", "too early"],
    "an answer with a tail": ["80010000000e0000000000010000", "after its end"],
  };
  it.each(Object.entries(bad))("refuses %s", (_, [response, message]) => {
    expect(() => getRandom(1).parse(hex(response))).toThrow(message);
  });

  it("states its size in the header, within limits", () => {
    expect(responseSize(hex("800100"))).toBeUndefined();
    expect(responseSize(hex("80010000000e00000000"))).toBe(14);
    for (const size of ["00000009", "00001001", "ffffffff"])
      expect(() => responseSize(hex(`8001${size}00000000`))).toThrow("4096");
  });
});

describe("response codes", () => {
  const meanings: Readonly<Record<number, [string, string]>> = {
    2338: ["unavailable", "asks to retry"],
    2314: ["unavailable", "testing itself"],
    2312: ["unavailable", "yielded"],
    2337: ["unavailable", "locked out"],
    395: ["not-found", "handle does not exist, handle 1"],
    2466: ["forbidden", "authorization failed, session 1"],
    479: ["untrusted", "not made for this TPM and this key, or altered, parameter 1"],
    303: ["forbidden", "kind of authorization"],
    2717: ["forbidden", "policy does not hold, session 2"],
    2306: ["unavailable", "room for another object"],
    257: ["io-failed", "failure mode"],
    2047: ["io-failed", "parameter 7"],
    383: ["io-failed", "no reason"],
  };
  it.each(Object.entries(meanings))("%s", (code, [fault, message]) => {
    const seen = responseFault("Quote", Number(code));
    expect(isFault(seen) && seen.code).toBe(fault);
    expect(seen.message).toContain(message);
    expect(seen.retryable).toBe(fault === "unavailable");
  });
  it("asks to send again what a TPM could not start", () => {
    expect([0x922, 0x90a, 0x908].every(mustSendAgain)).toBe(true);
    expect([0x921, 0x902, 0].some(mustSendAgain)).toBe(false);
  });
});
