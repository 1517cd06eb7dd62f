// Framing of commands and responses (part 1, §18): a header of ten octets, handles, authorizations, parameters. A
// command is a value that knows its bytes and how to read its answer; sending it is platform/tpm's work.
import { concatBytes } from "../bytes/index.ts";
import { Fault } from "../outcome/index.ts";
import { sized, TpmReader, u8, u16, u32 } from "./codec.ts";
import { HANDLE, STRUCTURE } from "./constants.ts";
import { responseFault } from "./response-code.ts";

export interface TpmCommand<Answer> {
  /** As the specification writes it, for messages: `Quote`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Reads a whole response. A refusal by the TPM and bytes that are no answer to this command are Faults. */
  parse(response: Uint8Array): Answer;
}

interface CommandParts {
  readonly name: string;
  readonly code: number;
  readonly handles?: readonly number[];
  /** One for each handle that needs authorization, in their order. */
  readonly authorizations?: readonly Uint8Array[];
  readonly parameters: readonly Uint8Array[];
  /** The response begins with a handle. */
  readonly makesHandle?: boolean;
}

interface ResponseBody {
  /** Zero where the command makes none. */
  readonly handle: number;
  readonly parameters: TpmReader;
}

const HEADER_OCTETS = 10;
/** Every TPM takes and gives at least this much; no message here is larger. */
export const MAX_MESSAGE_OCTETS = 4096;
const CONTINUE_SESSION = 1;
const EMPTY = new Uint8Array();

/** The empty password: what authorizes every object of ours and, on most machines, the endorsement hierarchy. */
export const EMPTY_PASSWORD = encodeAuthorization(HANDLE.password);

export function policyAuthorization(session: number): Uint8Array {
  return encodeAuthorization(session);
}

function encodeAuthorization(session: number): Uint8Array {
  return concatBytes([u32(session), sized(EMPTY), u8(CONTINUE_SESSION), sized(EMPTY)]);
}

export function createCommand<Answer>(parts: CommandParts, read: (body: ResponseBody) => Answer): TpmCommand<Answer> {
  return { name: parts.name, bytes: encodeCommand(parts), parse: (response) => parseResponse(parts, response, read) };
}

function encodeCommand({ name, code, handles = [], authorizations = [], parameters }: CommandParts): Uint8Array {
  const areas = concatBytes(authorizations);
  const body = concatBytes([
    ...handles.map(u32),
    ...(authorizations.length === 0 ? [] : [u32(areas.length), areas]),
    ...parameters,
  ]);
  const size = HEADER_OCTETS + body.length;
  if (size > MAX_MESSAGE_OCTETS) throw new Fault("limit-exceeded", `TPM command ${name} is larger than a TPM takes`);
  const tag = authorizations.length === 0 ? STRUCTURE.noSessions : STRUCTURE.sessions;
  return concatBytes([u16(tag), u32(size), u32(code), body]);
}

function parseResponse<Answer>(
  parts: CommandParts,
  response: Uint8Array,
  read: (body: ResponseBody) => Answer,
): Answer {
  const reader = new TpmReader(response);
  const { tag, code } = readHeader(reader, response.length);
  if (code !== 0) throw responseFault(parts.name, code);
  const hasSessions = (parts.authorizations ?? []).length > 0;
  if (tag !== (hasSessions ? STRUCTURE.sessions : STRUCTURE.noSessions))
    throw new Fault("malformed", `TPM answered ${parts.name} with another kind of message`);
  const handle = parts.makesHandle === true ? reader.u32() : 0;
  const parameters = new TpmReader(hasSessions ? reader.bytes(reader.u32()) : reader.rest());
  const answer = read({ handle, parameters });
  parameters.finish();
  return answer;
}

function readHeader(reader: TpmReader, length: number): { readonly tag: number; readonly code: number } {
  const tag = reader.u16();
  const size = reader.u32();
  const code = reader.u32();
  if (size !== length)
    throw new Fault("malformed", `TPM response must have the ${size} octets it states, got ${length}`);
  if (tag !== STRUCTURE.noSessions && tag !== STRUCTURE.sessions)
    throw new Fault("unsupported", "device must be a TPM 2.0: its answer is not one");
  return { tag, code };
}

/** How long the response will be, from its first ten octets; undefined while there are fewer. */
export function responseSize(start: Uint8Array): number | undefined {
  if (start.length < HEADER_OCTETS) return undefined;
  const size = new DataView(start.buffer, start.byteOffset).getUint32(2);
  if (size < HEADER_OCTETS || size > MAX_MESSAGE_OCTETS)
    throw new Fault(
      "malformed",
      `TPM response must have ${HEADER_OCTETS} to ${MAX_MESSAGE_OCTETS} octets, it states ${size}`,
    );
  return size;
}

export function responseCode(response: Uint8Array): number {
  return response.length < HEADER_OCTETS ? 0 : new DataView(response.buffer, response.byteOffset).getUint32(6);
}
