// Commands that start a TPM, ask what it is, and free what was loaded.
import { Fault } from "../../outcome/index.ts";
import { type TpmReader, u16, u32 } from "../codec.ts";
import { CAPABILITY, COMMAND } from "../constants.ts";
import { createCommand, type TpmCommand } from "../message.ts";

const STARTUP_CLEAR = 0;
/** Answers hold at most some hundred entries; more is a broken or hostile device. */
const MAX_ENTRIES = 1024;

/** Only for simulators: firmware and kernel start a real TPM. */
export function startup(): TpmCommand<void> {
  const parts = { name: "Startup", code: COMMAND.startup, parameters: [u16(STARTUP_CLEAR)] };
  return createCommand(parts, () => undefined);
}

/** May answer with fewer octets than asked. */
export function getRandom(octets: number): TpmCommand<Uint8Array> {
  const parts = { name: "GetRandom", code: COMMAND.getRandom, parameters: [u16(octets)] };
  return createCommand(parts, ({ parameters }) => parameters.sized());
}

export function flushContext(handle: number): TpmCommand<void> {
  const parts = { name: "FlushContext", code: COMMAND.flushContext, parameters: [u32(handle)] };
  return createCommand(parts, () => undefined);
}

/** Values of consecutive properties from `first` on, as far as the TPM has them. */
export function getProperties(first: number, count = 1): TpmCommand<ReadonlyMap<number, number>> {
  return getCapability({ capability: CAPABILITY.properties, first, count }, (reader) => {
    const entries = readList(reader, () => [reader.u32(), reader.u32()] as const);
    return new Map(entries);
  });
}

/** Handles in use from `first` on: loaded objects and sessions, persistent objects, NV indices. */
export function getHandles(first: number, count = 64): TpmCommand<readonly number[]> {
  return getCapability({ capability: CAPABILITY.handles, first, count }, (reader) =>
    readList(reader, () => reader.u32()),
  );
}

export function getCurves(): TpmCommand<readonly number[]> {
  const query = { capability: CAPABILITY.eccCurves, first: 0, count: 64 };
  return getCapability(query, (reader) => readList(reader, () => reader.u16()));
}

interface CapabilityQuery {
  readonly capability: number;
  readonly first: number;
  readonly count: number;
}

function getCapability<T>(query: CapabilityQuery, read: (reader: TpmReader) => T): TpmCommand<T> {
  const values = [u32(query.capability), u32(query.first), u32(query.count)];
  const parts = { name: "GetCapability", code: COMMAND.getCapability, parameters: values };
  return createCommand(parts, ({ parameters }) => {
    parameters.u8(); // whether there is more: every question here is small enough
    if (parameters.u32() !== query.capability) throw new Fault("malformed", "TPM answered about another capability");
    return read(parameters);
  });
}

function readList<T>(reader: TpmReader, read: () => T): T[] {
  const count = reader.u32();
  if (count > MAX_ENTRIES) throw new Fault("limit-exceeded", `TPM answered with more than ${MAX_ENTRIES} entries`);
  return Array.from({ length: count }, read);
}
