// A strict DER reader (X.690 §8, §10, §11): a small cursor over one byte array that never copies. Definite lengths in
// their shortest form only, every read names the tag it expects, and `finish` refuses trailing bytes.
import { Fault } from "../outcome/index.ts";
import { TAG, tagText } from "./tags.ts";

/** A certificate nests about ten deep; what nests deeper is an attack on a recursive reader, not a certificate. */
const MAX_DEPTH = 24;
/** Four length octets would be 4 GiB; nothing in this product is over 16 MiB, and the sum stays a small integer. */
const MAX_LENGTH_OCTETS = 3;

export class DerReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #depth: number;
  #offset: number;
  /** Where the content of the element read last begins; valid until the next read. */
  #content = 0;

  private constructor(
    bytes: Uint8Array,
    span: { readonly start: number; readonly end: number; readonly depth: number },
  ) {
    this.#bytes = bytes;
    this.#offset = span.start;
    this.#end = span.end;
    this.#depth = span.depth;
  }

  static over(bytes: Uint8Array): DerReader {
    return new DerReader(bytes, { start: 0, end: bytes.length, depth: 0 });
  }

  /** A second cursor at the same place, for looking ahead. */
  fork(): DerReader {
    return new DerReader(this.#bytes, { start: this.#offset, end: this.#end, depth: this.#depth });
  }

  get isEmpty(): boolean {
    return this.#offset === this.#end;
  }

  /** The tag of the next element, or undefined at the end. */
  get nextTag(): number | undefined {
    return this.#offset < this.#end ? this.#bytes[this.#offset] : undefined;
  }

  /** The content octets of the next element, which must have this tag. */
  read(tag: number): Uint8Array {
    this.#take(tag);
    return this.#bytes.subarray(this.#content, this.#offset);
  }

  /** The whole next element, tag and length included. */
  readRaw(tag: number): Uint8Array {
    const start = this.#offset;
    this.#take(tag);
    return this.#bytes.subarray(start, this.#offset);
  }

  /** The whole next element, whatever it is. */
  readAnyRaw(): Uint8Array {
    const tag = this.nextTag;
    if (tag === undefined) throw new Fault("malformed", "DER ends where an element is expected");
    return this.readRaw(tag);
  }

  /** A reader over the content of the next element. */
  enter(tag: number): DerReader {
    if (this.#depth >= MAX_DEPTH) throw new Fault("limit-exceeded", `DER is nested deeper than ${MAX_DEPTH} levels`);
    this.#take(tag);
    return new DerReader(this.#bytes, { start: this.#content, end: this.#offset, depth: this.#depth + 1 });
  }

  /** `enter` where the next element has this tag, undefined where it does not. */
  enterOptional(tag: number): DerReader | undefined {
    return this.nextTag === tag ? this.enter(tag) : undefined;
  }

  finish(): void {
    if (this.#offset !== this.#end) throw new Fault("malformed", "DER has bytes after the last expected element");
  }

  #take(tag: number): void {
    const seen = this.nextTag;
    if (seen !== tag) {
      const found = seen === undefined ? "the end" : tagText(seen);
      throw new Fault("malformed", `DER element with tag ${tagText(tag)} expected, found ${found}`);
    }
    if ((tag & 0x1f) === 0x1f) throw new Fault("unsupported", "DER element has a multi-octet tag");
    const first = this.#octet(this.#offset + 1);
    let content = this.#offset + 2;
    let length = first;
    if (first >= 0x80) {
      const octets = first & 0x7f;
      length = this.#longLength(octets, content);
      content += octets;
    }
    if (length > this.#end - content) throw new Fault("malformed", "DER element is longer than what encloses it");
    this.#content = content;
    this.#offset = content + length;
  }

  #longLength(octets: number, start: number): number {
    if (octets === 0) throw new Fault("malformed", "DER length must be definite");
    if (octets > MAX_LENGTH_OCTETS) throw new Fault("limit-exceeded", "DER element is larger than 16 MiB");
    let length = 0;
    for (let i = 0; i < octets; i++) length = (length << 8) | this.#octet(start + i);
    const isShortest = length >= 0x80 && length >= 1 << (8 * (octets - 1));
    if (!isShortest) throw new Fault("malformed", "DER length must be in its shortest form");
    return length;
  }

  #octet(offset: number): number {
    if (offset >= this.#end) throw new Fault("malformed", "DER ends inside an element's header");
    return this.#bytes[offset] ?? 0;
  }
}

/** Reads one SEQUENCE that fills the whole input, as certificates, requests and extension values are. */
export function readWholeSequence<T>(bytes: Uint8Array, read: (content: DerReader) => T): T {
  const outer = DerReader.over(bytes);
  const content = outer.enter(TAG.sequence);
  outer.finish();
  const value = read(content);
  content.finish();
  return value;
}
