// Warning headers: `299 - "<text>"`, one a warning. Limits and order of k8s.io/apiserver/pkg/endpoints/filters/warning.go.

import type { HttpHeaders } from "../../platform/http/index.ts";

/** Beyond the first limit every warning is cut to the second, and what is still beyond is dropped. */
const MAX_TOTAL_CHARACTERS = 4_096;
const MAX_CUT_CHARACTERS = 256;

export function warningHeaders(warnings: readonly string[]): HttpHeaders {
  const texts = [...new Set(warnings.map(printable))].filter((text) => text !== "");
  if (texts.length === 0) return {};
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const shown = total <= MAX_TOTAL_CHARACTERS ? texts : cut(texts);
  return { warning: shown.map((text) => `299 - "${text.replace(/[\\"]/g, "\\$&")}"`) };
}

function cut(texts: readonly string[]): readonly string[] {
  let left = MAX_TOTAL_CHARACTERS;
  const kept: string[] = [];
  for (const text of texts) {
    const short = text.slice(0, MAX_CUT_CHARACTERS);
    left -= short.length;
    if (left < 0) break;
    kept.push(short);
  }
  return kept;
}

/** A warning repeats what the client sent, and a header holds neither control characters nor anything beyond Latin-1. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}
