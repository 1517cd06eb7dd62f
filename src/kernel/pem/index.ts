// PEM in: the blocks of a text in order (RFC 7468), text and damaged blocks between them skipped. What counts as a
// block is exactly what Go's encoding/pem says: kube-apiserver judges a CSR by the first block that *it* sees, and a
// block that only one of us sees would let a requester show the API server one request and the signer another.

import { encodeBase64, parseBase64Lenient } from "../bytes/index.ts";
import { Fault, isFault } from "../outcome/index.ts";

export interface PemBlock {
  readonly label: string;
  /** The `Key: value` lines before the body (RFC 1421), as written. */
  readonly headers: readonly string[];
  readonly bytes: Uint8Array;
}

/** etcd refuses objects over 1.5 MiB, and the largest public CA bundles stay under 1 MiB of text. */
const MAX_TEXT_LENGTH = 4 * 1024 * 1024;
/** Public CA bundles have some 150 certificates. */
const MAX_BLOCKS = 1024;

const BEGIN = "-----BEGIN ";
const END = "\n-----END ";
const DASHES = "-----";

export function parsePem(text: string): PemBlock[] {
  if (text.length > MAX_TEXT_LENGTH) throw new Fault("limit-exceeded", `PEM text is longer than ${MAX_TEXT_LENGTH}`);
  const blocks: PemBlock[] = [];
  let from = 0;
  for (;;) {
    const step = nextBlock(text, from);
    if (step === undefined) return blocks;
    from = step.resumeAt;
    if (step.block === undefined) continue;
    if (blocks.length === MAX_BLOCKS) throw new Fault("limit-exceeded", `PEM text has more than ${MAX_BLOCKS} blocks`);
    blocks.push(step.block);
  }
}

interface Step {
  /** Absent where an END line was found without a well-formed block before it. */
  readonly block?: PemBlock;
  readonly resumeAt: number;
}

/**
 * Looks for the first END line, then back for the last BEGIN before it: an opened and never closed block is passed
 * over.
 */
function nextBlock(text: string, from: number): Step | undefined {
  const end = text.indexOf(END, from);
  if (end < 0) return undefined;
  const skip: Step = { resumeAt: end + END.length };
  const begin = text.slice(from, end).lastIndexOf(BEGIN);
  if (begin < 0 || (begin > 0 && text.charAt(from + begin - 1) !== "\n")) return skip;

  const opening = lineAt(text, from + begin + BEGIN.length);
  if (!opening.text.endsWith(DASHES)) return skip;
  const label = opening.text.slice(0, -DASHES.length);
  const { headers, bodyStart } = readHeaders(text, opening.next);
  // A label with a colon makes the END line look like a header: the reader has then run past the block, as Go's does.
  if (bodyStart >= text.length || bodyStart > skip.resumeAt) return undefined;
  if (headers.length > 0 && end < bodyStart) return skip;

  const closing = lineAt(text, skip.resumeAt);
  if (closing.text !== label + DASHES) return skip;
  const bytes = parseBody(text.slice(bodyStart, Math.max(bodyStart, end)));
  if (bytes === undefined) return skip;
  return { block: { label, headers, bytes }, resumeAt: closing.next };
}

function readHeaders(text: string, start: number): { headers: string[]; bodyStart: number } {
  const headers: string[] = [];
  let position = start;
  while (position < text.length) {
    const line = lineAt(text, position);
    if (!line.text.includes(":")) break;
    headers.push(line.text);
    position = line.next;
  }
  return { headers, bodyStart: position };
}

function parseBody(body: string): Uint8Array | undefined {
  try {
    return parseBase64Lenient(body.replaceAll(/[\r\n \t]/g, ""));
  } catch (fault) {
    if (isFault(fault, "malformed")) return undefined;
    throw fault;
  }
}

/** The line that begins here, without its ending and trailing blanks, and where the next begins. */
function lineAt(text: string, start: number): { readonly text: string; readonly next: number } {
  const feed = text.indexOf("\n", start);
  const next = feed < 0 ? text.length : feed + 1;
  let end = feed < 0 ? text.length : feed;
  if (feed > start && text.charAt(end - 1) === "\r") end--;
  while (end > start && (text.charAt(end - 1) === " " || text.charAt(end - 1) === "\t")) end--;
  return { text: text.slice(start, end), next };
}

// PEM out (RFC 7468 §2): 64 columns, line feeds, a final newline; the form every Kubernetes component writes.

const COLUMNS = 64;

export function encodePem(label: string, bytes: Uint8Array): string {
  const body = encodeBase64(bytes);
  let lines = "";
  for (let i = 0; i < body.length; i += COLUMNS) lines += `${body.slice(i, i + COLUMNS)}\n`;
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`;
}
