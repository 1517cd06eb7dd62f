import { describe, expect, it } from "vitest";
import { encodeUtf8, parseUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import { encodeBlocks, parseBlocks } from "./blocks.ts";

const protocol = { provider: "tpm", version: 1 };
const request = Uint8Array.of(0x30, 0x00);
const content = encodeUtf8("{}");
const good = parseUtf8(encodeBlocks({ request, protocol, content }));
const csr = encodePem("CERTIFICATE REQUEST", request);
const provider = encodePem("KUBELET AUTHENTICATOR ATTESTATION PROVIDER", encodeUtf8("tpm/1"));
const data = encodePem("KUBELET AUTHENTICATOR ATTESTATION DATA", content);
const named = (text: string) => csr + encodePem("KUBELET AUTHENTICATOR ATTESTATION PROVIDER", encodeUtf8(text)) + data;
const parse = (text: string) => parseBlocks(encodeUtf8(text));

describe("the blocks of a request with evidence", () => {
  it("are three, and come back as they were written", () => {
    expect(good).toBe(csr + provider + data);
    expect(parse(good)).toEqual({ request, protocol, content });
  });

  it("may be two in the seed's form, which names no version", () => {
    expect(parse(csr + encodePem("ATTESTATION DATA", content))).toEqual({ request, protocol: undefined, content });
  });

  const refused: Readonly<Record<string, string>> = {
    "text before": `hello\n${good}`,
    "text between": `${csr}hello\n${provider}${data}`,
    "text behind": `${good}hello\n`,
    "an empty line behind": `${good}\n`,
    "no line feed at the end": good.slice(0, -1),
    "carriage returns": good.replaceAll("\n", "\r\n"),
    headers: good.replace("REQUEST-----\n", "REQUEST-----\nProc-Type: 4\n\n"),
    "two requests": csr + good,
    "a request at the end": good + csr,
    "a zero octet behind": `${good}\0`,
    "evidence first": provider + data + csr,
    "provider and data in the other order": csr + data + provider,
    "no provider": csr + data,
    "no data": csr + provider,
    "a request alone": csr,
    "data twice": good + data,
    "provider twice": csr + provider + provider + data,
    "a block of another label": csr + provider + encodePem("OTHER", content),
    "an old label of the request": good.replaceAll("CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"),
    "lines of another length": good.replace("e30=", "e3\n0="),
    "base64 with other tail bits": good.replace("e30=", "e31="),
    "a provider without version": named("tpm"),
    "version zero": named("tpm/0"),
    "a version with a leading zero": named("tpm/01"),
    "version 1000": named("tpm/1000"),
    "a provider in capitals": named("TPM/1"),
    "a provider with a line feed": named("tpm/1\n"),
    "a provider of 33 letters": named(`${"a".repeat(33)}/1`),
    "the seed's form with a provider": csr + provider + encodePem("ATTESTATION DATA", content),
    "nothing at all": "",
  };
  it.each(Object.entries(refused))("refuses %s", (_, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: "malformed" }));
  });

  it("refuses what is too large before it looks, and data that is too large", () => {
    expect(() => parseBlocks(new Uint8Array(65_537))).toThrow(expect.objectContaining({ code: "limit-exceeded" }));
    const large = encodeBlocks({ request, protocol, content: new Uint8Array(40_961) });
    const fault = (() => {
      try {
        return parseBlocks(large);
      } catch (failure) {
        return failure;
      }
    })();
    expect(isFault(fault, "limit-exceeded")).toBe(true);
  });
});
