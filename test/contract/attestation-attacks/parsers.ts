// What a request can be made of. A real API server takes all of these but what is not DER.

import { type AddressInfo, createServer } from "node:net";
import { CSRS } from "../../../src/api/meta/index.ts";
import { encodeBlocks, type FinishedRequest, parseBlocks } from "../../../src/attestation/evidence/index.ts";
import { encodeBase32, encodeBase64, encodeUtf8, parseUtf8 } from "../../../src/kernel/bytes/index.ts";
import { sha256 } from "../../../src/kernel/crypto/index.ts";
import { encodeOid, encodeSequence, encodeTlv } from "../../../src/kernel/der/index.ts";
import { assert } from "../../../src/kernel/outcome/index.ts";
import { encodePem, parsePem } from "../../../src/kernel/pem/index.ts";
import { publicKeyOf } from "../../../src/kernel/tpm/index.ts";
import { signCertificateRequest } from "../../../src/kernel/x509/index.ts";
import { generatePrivateKey } from "../../../src/platform/keys/index.ts";
import { aSoftTpm } from "../../builders/soft-tpm.ts";
import { aLeafFor, aRoot } from "../../builders/x509.ts";
import { type AttestationStage, addressOf, bare, type Csr, SERVING_SIGNER } from "../attestation-stage.ts";
import type { Attacks, Attempt } from "./attack.ts";
import { aJoinedNode } from "./machines.ts";
import { answerTo } from "./strangers.ts";

/** A hello of which only the text is changed. It is sent under a name of the server's: the form is judged first. */
function rewritten(change: (text: string) => string): Attempt {
  return async (on) => {
    const { machine } = await on.aScene();
    const { request, signerName, usages } = machine().draftHello();
    const spec = { request: encodeBase64(encodeUtf8(change(parseUtf8(request)))), signerName, usages };
    return await on.refused(await on.joining.create<Csr>(CSRS, bare(spec)));
  };
}

/** The same, with other JSON in the envelope. */
function reworded(change: (json: string) => string): Attempt {
  return rewritten((text) => {
    const { request, protocol, content } = parseBlocks(encodeUtf8(text));
    assert(protocol !== undefined, "a hello has its provider's block");
    return parseUtf8(encodeBlocks({ request, protocol, content: encodeUtf8(change(parseUtf8(content))) }));
  });
}

const PROVIDER_ID_OID = "1.3.6.1.4.1.11129.2.1.21";

/** A PKCS#10 whose provider ID has a length in two octets where one is enough. API servers do not read that far. */
function withLongLength({ request, ...rest }: FinishedRequest, node: string): FinishedRequest {
  const { protocol, content } = parseBlocks(request);
  assert(protocol !== undefined, "a hello has its provider's block");
  const id = encodeUtf8(`test:///${node}`);
  const value = Uint8Array.from([0x0c, 0x81, id.length, ...id]);
  const extensions = [{ oid: PROVIDER_ID_OID, critical: false, value }];
  const subject = { commonName: `countersign:hello:${node}` };
  const pkcs10 = signCertificateRequest({ subject, extensions }, generatePrivateKey("P-256").signer);
  const changed = encodeBlocks({ request: pkcs10, protocol, content });
  return { ...rest, request: changed, name: `countersign-hello-${encodeBase32(sha256(changed))}` };
}

/** Renews for a serving certificate, with a quote over other names than those it asks for. */
async function serveWith(on: AttestationStage, asked: string, quoted: string) {
  const { machine, node, client } = await aJoinedNode(on);
  const own = (name: string) => ({ ipAddresses: [name === "own" ? addressOf(node) : name] });
  const actor = machine({ intent: "renew", purpose: "serving" }, { client, names: own(asked) });
  return await on.refused(await on.prove(actor, { quoted: { names: own(quoted) } }));
}

/** Tries with an address that evidence names; answers how it ended, unless anybody came there. */
async function unvisited(attempt: (url: URL) => Promise<string | undefined>): Promise<string | undefined> {
  let visits = 0;
  const server = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const reason = await attempt(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
    return visits === 0 ? reason : "the address was followed";
  } finally {
    server.close();
  }
}

/** An installed provider is brought a request to somewhere inside the cluster's network, in several spellings. */
function sendElsewhere(on: AttestationStage): Promise<string | undefined> {
  return unvisited(async ({ host }) => {
    const { family } = await on.aScene({ providers: ["presigned"] });
    const urls = [`http://${host}/`, `https://${host}/`, `https://sts.example.com@${host}/`];
    const reasons = new Set<string | undefined>();
    for (const [at, url] of urls.entries()) {
      const node = `${family}-presigned-${at}`;
      await on.createMachine(node);
      reasons.add(await on.refused(await on.askPresigned(node, url)));
    }
    return [...reasons].join();
  });
}

/** An EK certificate that names an address of its issuer's certificate. */
function followAddress(on: AttestationStage): Promise<string | undefined> {
  return unvisited(async (base) => {
    const url = new URL("/issuer.der", base).href;
    const times = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 };
    const known = aRoot(times);
    const tpm = aSoftTpm();
    const access = encodeSequence([encodeOid("1.3.6.1.5.5.7.48.2"), encodeTlv(0x86, [encodeUtf8(url)])]);
    const extensions = [{ oid: "1.3.6.1.5.5.7.1.1", critical: false, value: encodeSequence([access]) }];
    const leaf = aLeafFor(aRoot(times), publicKeyOf(tpm.ek).spki, { ...times, extensions });
    const roots = encodePem("CERTIFICATE", known.certificate.raw);
    const { node } = await on.aScene({ tpm: { roots, firstUse: "Allow" } });
    const endorsement = { ek: tpm.ek.raw, ekChain: [leaf.raw] };
    return await on.refused(await on.machineFor(node, {}, { tpm, endorsement }).hello());
  });
}

export const PARSER_ATTACKS: Attacks = {
  "20 what two parsers read differently": {
    "text before": ["EnvelopeMalformed", rewritten((text) => `hello\n${text}`)],
    "text after": ["EnvelopeMalformed", rewritten((text) => `${text}# bye\n`)],
    "text between": [
      "EnvelopeMalformed",
      rewritten((text) => text.replace("-----END CERTIFICATE REQUEST-----\n", (end) => `${end}between\n`)),
    ],
    "line ends of another world": ["EnvelopeMalformed", rewritten((text) => text.replaceAll("\n", "\r\n"))],
    "a header in a block": [
      "EnvelopeMalformed",
      rewritten((text) => text.replace("-----BEGIN CERTIFICATE REQUEST-----\n", (begin) => `${begin}Name: x\n\n`)),
    ],
    "two requests": [
      "EnvelopeMalformed",
      rewritten((text) => {
        const [request] = parsePem(text);
        return encodePem("CERTIFICATE REQUEST", request?.bytes ?? new Uint8Array()) + text;
      }),
    ],
    "two envelopes": [
      "EnvelopeMalformed",
      rewritten((text) => {
        const last = parsePem(text).at(-1);
        return text + encodePem(last?.label ?? "", last?.bytes ?? new Uint8Array());
      }),
    ],
    "a key twice in the JSON": [
      "EnvelopeMalformed",
      reworded((json) => json.replace('"intent":"join"', '"intent":"join","intent":"renew"')),
    ],
    "white space in the JSON": ["EnvelopeMalformed", reworded((json) => json.replace(":", ": "))],
    "an escape in the JSON": ["EnvelopeMalformed", reworded((json) => json.replace('"join"', '"\\u006aoin"'))],
    "a key that nobody knows": ["EnvelopeMalformed", reworded((json) => json.replace(/}$/, ',"zzz":1}'))],
    "a prototype in the JSON": [
      "EnvelopeMalformed",
      reworded((json) => json.replace(/^{/, '{"__proto__":{"intent":"renew"},')),
    ],
    "a length in more octets than it needs": [
      "RequestMalformed",
      async (on) => {
        const { node, machine } = await on.aScene();
        const actor = machine();
        return await on.refused(await actor.send(withLongLength(actor.draftHello(), node)));
      },
    ],
    "octets after the DER, which no API server takes": [
      "invalid",
      async (on) => {
        const { machine } = await on.aScene();
        const actor = machine();
        const hello = actor.draftHello();
        const { request, protocol, content } = parseBlocks(hello.request);
        assert(protocol !== undefined, "a hello has its provider's block");
        const longer = encodeBlocks({ request: Uint8Array.from([...request, 0]), protocol, content });
        return await answerTo(actor.send({ ...hello, request: longer }));
      },
    ],
  },

  "21 a proof for one thing used for another": {
    "for another key": [
      "HelloMismatch",
      async (on) => {
        const { machine } = await on.aScene();
        return await on.refused(await on.prove(machine(), { key: generatePrivateKey("P-256") }));
      },
    ],
    "for a serving certificate": [
      "HelloMismatch",
      async (on) => {
        const { machine, node, client } = await aJoinedNode(on);
        const actor = machine({ intent: "renew" }, { client, names: { ipAddresses: [addressOf(node)] } });
        const serving = { purpose: "serving", signer: SERVING_SIGNER } as const;
        return await on.refused(await on.prove(actor, { statement: serving }));
      },
    ],
    "under another signer than it speaks of": [
      "EnvelopeMismatch",
      async (on) => {
        const { machine } = await on.aScene();
        const actor = machine();
        const proof = actor.answer(await on.challenged(await actor.hello()));
        return await on.refused(await actor.send({ ...proof, signerName: SERVING_SIGNER }));
      },
    ],
    "for other addresses than those in the quote": ["ChallengeFailed", (on) => serveWith(on, "own", "10.10.0.98")],
    "for addresses that are not its Machine's": ["SanNotAllowed", (on) => serveWith(on, "10.10.0.99", "10.10.0.99")],
    "for its neighbour's address, in a network that the policy trusts": [
      "SanNotAllowed",
      async (on) => {
        const { machine, family } = await on.aScene({}, { serving: { inventory: { ipPrefixes: ["10.9.0.0/16"] } } });
        await on.createMachine(`${family}-2`);
        const { node: client } = await on.join(machine());
        const serving = { intent: "renew", purpose: "serving" } as const;
        const names = (address: string) => ({ client, names: { ipAddresses: [address] } });
        // An address of that network that nobody has is the node's.
        await on.issued(await on.prove(machine(serving, names("10.9.255.9"))));
        return await on.refused(await on.prove(machine(serving, names(addressOf(`${family}-2`)))));
      },
    ],
  },

  "22 evidence that makes the controller work or travel": {
    "a mebibyte of evidence": ["RequestTooLarge", rewritten((text) => text + "#".repeat(1_000_000))],
    "more certificates than a chain has": [
      "EnvelopeMalformed",
      async (on) => {
        const { machine, tpm } = await on.aScene();
        const certificate = aRoot().certificate.raw;
        const endorsement = { ek: tpm.ek.raw, ekChain: Array.from({ length: 6 }, () => certificate) };
        return await on.refused(await machine({}, { endorsement }).hello());
      },
    ],
    "an address in a certificate": ["EndorsementKeyUntrusted", followAddress],
    "a presigned request to a host that no operator allowed": ["DocumentInvalid", sendElsewhere],
  },
};
