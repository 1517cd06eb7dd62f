// Quantities: "100m", "1Gi", "1e3". Read into whole nano-units, so that 0.1 is exact, and written in the one form that
// every API server writes. Behaviour of k8s.io/apimachinery/pkg/api/resource.

const QUANTITY = /^([+-]?)(\d+\.?\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d{1,2})?$/;
/** Longer numbers are refused: they would only cost time. */
const MAX_CHARACTERS = 64;

const NANO = 1_000_000_000n;
/** The limits of int64; larger values are clamped to them, as in Kubernetes. */
const LARGEST = (2n ** 63n - 1n) * NANO;
const DECIMAL: readonly (readonly [suffix: string, exponent: number])[] = [
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
];
const BINARY: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

type Form = "decimal" | "binary" | "exponent";

interface Quantity {
  /** In nano-units. */
  readonly nanos: bigint;
  readonly form: Form;
}

/** Undefined when the text is no quantity. */
export function parseQuantity(text: string): Quantity | undefined {
  const match = text.length > MAX_CHARACTERS ? null : QUANTITY.exec(text);
  if (match === null) return undefined;
  const [, sign = "", digits = "", suffix = ""] = match;
  const scale = scaleOf(suffix);
  const size = nanosOf(digits, scale);
  if (size > LARGEST) return { nanos: sign === "-" ? -LARGEST : LARGEST, form: scale.form };
  return { nanos: sign === "-" ? -size : size, form: scale.form };
}

interface Scale {
  readonly form: Form;
  readonly times: bigint;
  readonly exponent: number;
}

function scaleOf(suffix: string): Scale {
  const power = suffix === "" ? -1 : BINARY.indexOf(suffix);
  if (power > 0) return { form: "binary", times: 1024n ** BigInt(power), exponent: 0 };
  const decimal = DECIMAL.find(([name]) => name === suffix);
  if (decimal !== undefined) return { form: "decimal", times: 1n, exponent: decimal[1] };
  return { form: "exponent", times: 1n, exponent: Number(suffix.slice(1)) };
}

/** Digits beyond nano-units are rounded up, so that a request does not become zero. */
function nanosOf(digits: string, { times, exponent }: Scale): bigint {
  const [whole = "", fraction = ""] = digits.split(".");
  const units = BigInt(`${whole}${fraction}` || "0") * times;
  const shift = 9 + exponent - fraction.length;
  if (shift >= 0) return units * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (units + divisor - 1n) / divisor;
}

export function canonicalQuantity(text: string): string {
  const quantity = parseQuantity(text);
  return quantity === undefined ? text : encodeQuantity(quantity);
}

/** The largest unit that needs no fraction. */
function encodeQuantity({ nanos, form }: Quantity): string {
  if (nanos === 0n) return "0";
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  // Below 1024, and with a fraction, powers of two are no better than powers of ten.
  if (form === "binary" && size >= 1024n * NANO && size % NANO === 0n) return `${sign}${binary(size / NANO)}`;
  const [suffix, exponent] = DECIMAL.findLast(([, one]) => size % 10n ** BigInt(one + 9) === 0n) ?? ["n", -9];
  const number = size / 10n ** BigInt(exponent + 9);
  if (form === "exponent" && exponent !== 0) return `${sign}${number}e${exponent}`;
  return `${sign}${number}${form === "exponent" ? "" : suffix}`;
}

function binary(units: bigint): string {
  const power = BINARY.findLastIndex((_suffix, at) => units % 1024n ** BigInt(at) === 0n);
  return `${units / 1024n ** BigInt(power)}${BINARY[power] ?? ""}`;
}

/** Every value of a resource list in canonical form. */
export function canonicalQuantities<T extends Readonly<Record<string, string>> | undefined>(list: T): T {
  if (list === undefined) return list;
  return Object.fromEntries(Object.entries(list).map(([name, value]) => [name, canonicalQuantity(value)])) as T;
}
