// A bootstrap token, `<id>.<secret>`: made, read, written. The id names the token everywhere; the secret is never shown
// but once, to the person who asked for the token. Pure: the randomness is handed in.

import { Fault } from "../../kernel/outcome/index.ts";

export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
const ID_CHARACTERS = 6;
const SECRET_CHARACTERS = 16;
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;

/** 7 × 36: a byte from here up is thrown away, or the first four characters of the alphabet would come more often. */
const FAIR_BYTES = 252;

export function generateToken(randomBytes: (count: number) => Uint8Array): BootstrapToken {
  const text = drawCharacters(randomBytes, ID_CHARACTERS + SECRET_CHARACTERS);
  return { id: text.slice(0, ID_CHARACTERS), secret: text.slice(ID_CHARACTERS) };
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

export function parseToken(text: string): BootstrapToken {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  // The text is not repeated: what is almost a token is almost a secret.
  if (id === undefined || secret === undefined) {
    throw new Fault(
      "malformed",
      "token is not of the form <6 characters>.<16 characters>, lower-case letters and digits",
    );
  }
  return { id, secret };
}

export function encodeToken({ id, secret }: BootstrapToken): string {
  return `${id}.${secret}`;
}

function drawCharacters(randomBytes: (count: number) => Uint8Array, count: number): string {
  let text = "";
  while (text.length < count) {
    for (const byte of randomBytes(count - text.length)) {
      if (byte < FAIR_BYTES) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}
