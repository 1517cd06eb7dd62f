// Times: RFC 3339 text in JSON, seconds and nanoseconds on the wire. The zero time of Go, the first second of year one, is
// "unset" in both. k8s.io/apimachinery/pkg/apis/meta/v1: time_proto.go, micro_time_proto.go.

import type { Json, JsonObject } from "../../kernel/json/index.ts";
import { mistyped } from "./encode-faults.ts";
import type { Form } from "./message.ts";
import { malformed } from "./wire-reader.ts";

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
/** 0001-01-01T00:00:00Z. */
const ZERO_SECONDS = -62_135_596_800;
/** 9999-12-31T23:59:59Z: the last that four digits can tell. */
const LAST_SECONDS = 253_402_300_799;
const NANOS_PER_MICRO = 1_000;

interface Instant {
  readonly seconds: number;
  readonly micros: number;
}

function parseTime(value: Json, type: string): Instant {
  const [, whole, fraction = "", zone] = typeof value === "string" ? (TIME.exec(value) ?? []) : [];
  const seconds = Date.parse(`${whole}${zone}`) / 1000;
  if (Number.isNaN(seconds)) throw mistyped(value, type);
  return { seconds, micros: Number(fraction.padEnd(6, "0").slice(0, 6)) };
}

/** Empty for the zero time. */
function fieldsOf({ seconds, micros }: Instant): JsonObject {
  return seconds === ZERO_SECONDS && micros === 0 ? {} : { seconds, nanos: micros * NANOS_PER_MICRO };
}

/** Undefined for the zero time. */
function readInstant({ seconds, nanos }: JsonObject): Instant | undefined {
  if (seconds === undefined && nanos === undefined) return undefined;
  const whole = Number(seconds ?? 0);
  const micros = Math.floor(Number(nanos ?? 0) / NANOS_PER_MICRO);
  if (whole < ZERO_SECONDS || whole > LAST_SECONDS || micros < 0 || micros > 999_999)
    throw malformed("a time is outside the years 1 to 9999");
  return whole === ZERO_SECONDS && micros === 0 ? undefined : { seconds: whole, micros };
}

function textOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** Whole seconds: Kubernetes drops the rest on both ways, so that JSON and protobuf clients see the same. */
export const timeForm: Form = {
  write: (value) => (value === undefined ? {} : fieldsOf({ ...parseTime(value, "Time"), micros: 0 })),
  read: ({ seconds }) => {
    const instant = seconds === undefined ? undefined : readInstant({ seconds });
    return instant === undefined ? undefined : `${textOf(instant.seconds)}Z`;
  },
};

export const microTimeForm: Form = {
  write: (value) => (value === undefined ? {} : fieldsOf(parseTime(value, "MicroTime"))),
  read: (fields) => {
    const instant = readInstant(fields);
    if (instant === undefined) return undefined;
    return `${textOf(instant.seconds)}.${String(instant.micros).padStart(6, "0")}Z`;
  },
};
