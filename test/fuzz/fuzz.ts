// What every fuzz suite shares: how many runs, how valid input is spoiled, and what a parser of untrusted bytes may do
// with the result: return, or throw a Fault. A longer run: COUNTERSIGN_FUZZ_RUNS=100 multiplies the number of runs.
import fc from "fast-check";
import { isFault } from "../../src/kernel/outcome/index.ts";

const factor = Number(process.env["COUNTERSIGN_FUZZ_RUNS"] ?? "1");

export function runs(count: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(count * factor) };
}

/** "value", or the code of the Fault. Any other exception passes through and fails the property. */
export function outcomeOf(parse: () => unknown): string {
  try {
    parse();
    return "value";
  } catch (fault) {
    if (isFault(fault)) return fault.code;
    throw fault;
  }
}

/** One change of a byte string. Positions are fractions, so that shrinking keeps them meaningful. */
type Change = (bytes: Uint8Array) => Uint8Array;

const position = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const at = (bytes: Uint8Array, fraction: number) => Math.floor(fraction * bytes.length);

function splice(
  bytes: Uint8Array,
  span: { readonly start: number; readonly end: number },
  insert: Uint8Array,
): Uint8Array {
  return Uint8Array.from([...bytes.subarray(0, span.start), ...insert, ...bytes.subarray(span.end)]);
}

const flipBit = fc.tuple(position, fc.integer({ min: 0, max: 7 })).map(([where, bit]): Change => {
  return (bytes) => bytes.map((octet, i) => (i === at(bytes, where) ? octet ^ (1 << bit) : octet));
});
/** Octets that mean something in DER: lengths, tags, booleans. */
const setOctet = fc.tuple(
  position,
  fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 0x30, 0x31, 0x7f, 0x80, 0x81, 0x82, 0xa0, 0xa3, 0xff),
);
const overwrite = setOctet.map(
  ([where, octet]): Change =>
    (bytes) =>
      bytes.map((own, i) => (i === at(bytes, where) ? octet : own)),
);
const remove = fc.tuple(position, fc.integer({ min: 1, max: 8 })).map(([where, count]): Change => {
  return (bytes) => splice(bytes, { start: at(bytes, where), end: at(bytes, where) + count }, new Uint8Array());
});
const insert = fc.tuple(position, fc.uint8Array({ minLength: 1, maxLength: 8 })).map(([where, extra]): Change => {
  return (bytes) => splice(bytes, { start: at(bytes, where), end: at(bytes, where) }, extra);
});
const repeat = fc.tuple(position, fc.integer({ min: 1, max: 40 })).map(([where, count]): Change => {
  return (bytes) =>
    splice(
      bytes,
      { start: at(bytes, where), end: at(bytes, where) },
      bytes.subarray(at(bytes, where)).subarray(0, count),
    );
});
const truncate = position.map(
  (where): Change =>
    (bytes) =>
      bytes.subarray(0, at(bytes, where)),
);
const append = fc.uint8Array({ minLength: 1, maxLength: 4 }).map(
  (extra): Change =>
    (bytes) =>
      Uint8Array.from([...bytes, ...extra]),
);

const change = fc.oneof(
  { weight: 4, arbitrary: flipBit },
  { weight: 4, arbitrary: overwrite },
  { weight: 1, arbitrary: remove },
  { weight: 1, arbitrary: insert },
  { weight: 1, arbitrary: repeat },
  { weight: 1, arbitrary: truncate },
  { weight: 1, arbitrary: append },
);

/** One of the valid inputs after one to four changes. */
export function spoiled(corpus: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(fc.constantFrom(...corpus), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([bytes, changes]) =>
      changes.reduce((spoilt, apply) => (spoilt.length === 0 ? spoilt : apply(spoilt)), bytes),
    );
}
