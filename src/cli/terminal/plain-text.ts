// Text from strangers on a terminal: a forged annotation or the answer of an unknown server must not move the cursor, hide
// lines or speak in our voice.

/** Control characters, and the marks that turn the direction of writing around. */
const UNSAFE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** One line, with every unsafe character spelled out. */
export function plainText(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
