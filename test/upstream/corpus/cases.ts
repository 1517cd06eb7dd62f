// A few hundred certificate requests, good and spoiled, for the built-in signers. The same bytes go to two clusters:
// one where kube-controller-manager decides and signs, one where our controller does.

import {
  API_CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  SERVING_USAGES,
  SERVING_USAGES_RSA,
} from "../../../src/api/certificates/index.ts";
import { encodeUtf8 } from "../../../src/kernel/bytes/index.ts";
import { encodePem } from "../../../src/kernel/pem/index.ts";
import {
  basicConstraintsExtension,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  extKeyUsageExtension,
  keyUsageExtension,
} from "../../../src/kernel/x509/index.ts";
import { generatePrivateKey } from "../../../src/platform/keys/index.ts";
import {
  type CsrModifier,
  forNode,
  withExpiration,
  withExtension,
  withKey,
  withSan,
  withSigner,
  withSubject,
  withUsages,
  wrapped,
} from "../../builders/csr.ts";
import { CN, COUNTRY, O, OU, rawName } from "../../builders/raw-name.ts";

export type Asker = "token" | "node" | "admin" | "stranger";

export interface Case {
  readonly name: string;
  readonly asker: Asker;
  readonly modifiers: readonly CsrModifier[];
  /** A person approves it, whatever the rules say: then the signer shows what it thinks of it. */
  readonly byHand: boolean;
  /** The rule by which we refuse on purpose what kube-controller-manager gives. */
  readonly stricter?: string;
}

type Part = Record<string, readonly CsrModifier[]>;

const KEYS: Part = {
  "P-256": [],
  "P-384": [withKey(generatePrivateKey("P-384"))],
  "RSA-2048": [withKey(generatePrivateKey("RSA-2048"))],
  Ed25519: [withKey(generatePrivateKey("Ed25519"))],
};
const LIVES: Part = {
  "as long as may be": [],
  "ten minutes": [withExpiration(600)],
  "seven hours": [withExpiration(7 * 3_600)],
  "eight hours": [withExpiration(8 * 3_600)],
  "a month": [withExpiration(30 * 86_400)],
  "a century": [withExpiration(2_000_000_000)],
};
const CLIENT_USAGE_LISTS: Part = {
  "a kubelet's usages": [],
  "in another order": [withUsages("client auth", "digital signature")],
  "with key encipherment": [withUsages("key encipherment", "client auth", "digital signature")],
};
const BAD_CLIENT_USAGES: Part = {
  "client auth alone": [withUsages("client auth")],
  "a server too": [withUsages("digital signature", "client auth", "server auth")],
  "a signer": [withUsages("digital signature", "client auth", "cert sign")],
  "no signature": [withUsages("key encipherment", "client auth")],
  "any use": [withUsages("any")],
  "signing instead of digital signature": [withUsages("signing", "client auth")],
};
const SURROUNDINGS: Part = {
  "text before": [wrapped((pem) => `by hand\n${pem}`)],
  "line ends of Windows": [wrapped((pem) => pem.replaceAll("\n", "\r\n"))],
  "evidence behind": [wrapped((pem) => pem + encodePem("KUBELET AUTHENTICATOR ATTESTATION DATA", encodeUtf8("{}")))],
  "garbage behind": [wrapped((pem) => `${pem}???`)],
};
const NAMES: Part = {
  "a DNS name": [withSan({ dnsNames: ["worker"] })],
  "an address": [withSan({ ipAddresses: ["10.0.0.1"] })],
  "a mail address": [withSan({ emails: ["a@example.com"] })],
  "a URI": [withSan({ uris: ["https://example.com/"] })],
};
const SUBJECTS: Part = {
  "no organization": [withSubject({ commonName: "system:node:x" })],
  administrators: [withSubject({ commonName: "system:node:x", organizations: ["system:masters"] })],
  "two organizations": [withSubject({ commonName: "system:node:x", organizations: ["system:nodes", "a"] })],
  "no common name": [withSubject({ organizations: ["system:nodes"] })],
  "a person": [withSubject({ commonName: "jane", organizations: ["system:nodes"] })],
  "a prefix that only looks right": [withSubject({ commonName: "system:nodes:x", organizations: ["system:nodes"] })],
};
const HARMLESS: Part = {
  "what openssl adds": [
    withExtension(basicConstraintsExtension({ ca: false })),
    withExtension(keyUsageExtension(["digitalSignature"])),
    withExtension(extKeyUsageExtension([EKU_CLIENT_AUTH])),
  ],
};

/** Where ours is stricter on purpose, by rule. */
const STRICTER: Record<string, Part> = {
  "node-name-is-valid": {
    "an empty node name": [forNode("")],
    "upper case": [forNode("UPPER")],
    "a blank": [forNode("a b")],
    "a homograph": [forNode("w\u043erker")],
  },
  "subject-has-nothing-else": {
    "a second common name": [rawName([O, "system:nodes"], [CN, "system:node:first"], [CN, "system:node:second-cn"])],
    "a country": [rawName([COUNTRY, "DE"], [O, "system:nodes"], [CN, "system:node:with-country"])],
    "an organizational unit": [rawName([O, "system:nodes"], [OU, "x"], [CN, "system:node:with-unit"])],
  },
  "no-foreign-extensions": {
    "a CA": [forNode("wants-ca"), withExtension(basicConstraintsExtension({ ca: true }))],
    "a server": [forNode("wants-eku"), withExtension(extKeyUsageExtension([EKU_SERVER_AUTH]))],
    "the right to sign": [forNode("wants-ku"), withExtension(keyUsageExtension(["keyCertSign"]))],
    "an unknown extension": [
      forNode("wants-x"),
      withExtension({ oid: "1.2.3.4", critical: false, value: Uint8Array.of(5, 0) }),
    ],
  },
  "request-stands-alone": {
    "a second request behind": [forNode("with-second"), wrapped((pem) => pem + pem)],
    "PEM headers": [
      forNode("with-headers"),
      wrapped((pem) => pem.replace("REQUEST-----\n", "REQUEST-----\nX-A: b\n\n")),
    ],
    "a giant tail": [forNode("with-tail"), wrapped((pem) => pem + "x".repeat(70_000))],
  },
};

let numbers = 0;

function ownNode(): CsrModifier {
  numbers++;
  return forNode(`corpus-${numbers}`);
}

/** Every choice of the one with every choice of the other. */
function cross(...parts: readonly Part[]): Part {
  return parts.reduce<Part>(
    (all, part) =>
      Object.fromEntries(
        Object.entries(all).flatMap(([name, modifiers]) =>
          Object.entries(part).map(([more, added]) => [
            name === "" ? more : `${name}, ${more}`,
            [...modifiers, ...added],
          ]),
        ),
      ),
    { "": [] },
  );
}

interface Plan {
  readonly asker?: Asker;
  readonly byHand?: boolean;
  readonly first?: () => CsrModifier;
  readonly stricter?: string;
}

function casesOf(
  title: string,
  part: Part,
  { asker = "token", byHand = false, first = ownNode, stricter }: Plan = {},
): Case[] {
  return Object.entries(part).map(([name, modifiers]) => ({
    name: `${title}: ${name}`,
    asker,
    modifiers: [first(), ...modifiers],
    byHand,
    ...(stricter === undefined ? {} : { stricter }),
  }));
}

const all = (part: Part, ...modifiers: readonly CsrModifier[]): Part =>
  Object.fromEntries(Object.entries(part).map(([name, own]) => [name, [...own, ...modifiers]]));

const SERVING_NAMES: Part = {
  "a DNS name": [withSan({ dnsNames: ["worker.example.com"] })],
  addresses: [withSan({ ipAddresses: ["10.0.0.1", "fd00::1"] })],
  both: [withSan({ dnsNames: ["b", "a"], ipAddresses: ["10.0.0.2", "10.0.0.1"] })],
  "no name": [],
  "a mail address too": [withSan({ dnsNames: ["a"], emails: ["a@example.com"] })],
  "a URI too": [withSan({ dnsNames: ["a"], uris: ["https://example.com/"] })],
};
const SERVING_USAGE_LISTS: Part = {
  "a kubelet's": [withUsages(...SERVING_USAGES)],
  "with key encipherment": [withUsages(...SERVING_USAGES_RSA)],
  "a client too": [withUsages("digital signature", "server auth", "client auth")],
};
const PEOPLE: Part = {
  "a person": [withSubject({ commonName: "jane", organizations: ["dev", "ops"] }), withUsages("client auth")],
  "a person with all usages": [
    withSubject({ commonName: "joe" }),
    withUsages("client auth", "digital signature", "key encipherment"),
  ],
  "a person with names": [
    withSubject({ commonName: "jill" }),
    withUsages("client auth"),
    withSan({ dnsNames: ["a"], emails: ["a@example.com"], uris: ["https://a/"], ipAddresses: ["10.0.0.1"] }),
  ],
  "a server": [withSubject({ commonName: "jim" }), withUsages("server auth")],
  "a client and server": [withSubject({ commonName: "jim" }), withUsages("client auth", "server auth")],
};

export function corpus(): readonly Case[] {
  const client = withSigner(KUBELET_CLIENT_SIGNER);
  const serving = withSigner(KUBELET_SERVING_SIGNER);
  const clients = cross(KEYS, CLIENT_USAGE_LISTS, LIVES);
  return [
    ...casesOf("first certificate", all(clients, client)),
    ...casesOf("by an administrator", all(cross(CLIENT_USAGE_LISTS, LIVES), client), { asker: "admin" }),
    ...casesOf("by a stranger", all(cross(KEYS, LIVES), client), { asker: "stranger" }),
    ...casesOf("renewal", all(cross(KEYS, CLIENT_USAGE_LISTS), client), {
      asker: "node",
      first: () => forNode("renewing"),
    }),
    ...casesOf("for another node", all(KEYS, client), { asker: "node", first: () => forNode("other") }),
    ...casesOf("surroundings", all(cross(SURROUNDINGS, CLIENT_USAGE_LISTS), client)),
    ...casesOf("harmless extensions", all(cross(HARMLESS, LIVES), client)),
    ...[false, true].flatMap((byHand) => [
      ...casesOf("bad usages", all(cross(BAD_CLIENT_USAGES, LIVES), client), { byHand }),
      ...casesOf("names", all(cross(NAMES, CLIENT_USAGE_LISTS), client), { byHand }),
      ...casesOf("subjects", all(cross(SUBJECTS, CLIENT_USAGE_LISTS), client), { byHand }),
    ]),
    ...casesOf("serving, nobody approves", all(cross(SERVING_NAMES, SERVING_USAGE_LISTS), serving)),
    ...casesOf(
      "serving",
      all(cross(SERVING_NAMES, SERVING_USAGE_LISTS, { now: [], soon: [withExpiration(900)] }), serving),
      { byHand: true },
    ),
    ...casesOf(
      "serving subjects",
      all(cross(SUBJECTS, { named: [withSan({ dnsNames: ["a"] }), withUsages(...SERVING_USAGES)] }), serving),
      {
        byHand: true,
      },
    ),
    ...casesOf("people", all(cross(PEOPLE, LIVES), withSigner(API_CLIENT_SIGNER)), { byHand: true }),
    ...casesOf("people, nobody approves", all(PEOPLE, withSigner(API_CLIENT_SIGNER))),
    ...Object.entries(STRICTER).flatMap(([stricter, part]) => casesOf(stricter, all(part, client), { stricter })),
  ];
}
