// A TPM behind a character device, /dev/tpmrm0: one write with the whole command, one read with the whole response. The
// kernel's resource manager keeps objects and sessions per open file and frees them when it is closed.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Fault } from "../../kernel/outcome/index.ts";
import { MAX_MESSAGE_OCTETS, responseSize } from "../../kernel/tpm/index.ts";
import { type ExchangeOptions, type TpmTransport, withDeadline } from "./transport.ts";

/** The three operations on the open device; a test hands in a stand-in. */
export interface DeviceFile {
  write(bytes: Uint8Array): Promise<number>;
  read(into: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

export async function openDeviceTransport(
  path: string,
  openFile: (path: string) => Promise<DeviceFile> = openDevice,
): Promise<TpmTransport> {
  const file = await openFile(path);
  let isOpen = true;
  return {
    address: path,
    exchange: (command, options) => exchange({ path, file }, command, options),
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      await file.close();
    },
  };
}

async function openDevice(path: string): Promise<DeviceFile> {
  const handle = await openHandle(path);
  return {
    write: async (bytes) => (await handle.write(bytes, 0, bytes.length, null)).bytesWritten,
    read: async (into) => (await handle.read(into, 0, into.length, null)).bytesRead,
    close: () => handle.close(),
  };
}

async function openHandle(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDWR);
  } catch (cause) {
    const errno = (cause as NodeJS.ErrnoException).code ?? "unknown";
    const code = errno === "ENOENT" ? "not-found" : "io-failed";
    throw new Fault(code, `cannot open the TPM device ${path}: ${errno}`, { cause, detail: { path, errno } });
  }
}

function exchange(
  { path, file }: { readonly path: string; readonly file: DeviceFile },
  command: Uint8Array,
  options: ExchangeOptions,
): Promise<Uint8Array> {
  return withDeadline<Uint8Array>(`TPM device ${path}`, options, ({ resolve, reject }) => {
    writeAndRead(path, file, command).then(resolve, reject);
  });
}

async function writeAndRead(path: string, file: DeviceFile, command: Uint8Array): Promise<Uint8Array> {
  try {
    const written = await file.write(command);
    if (written !== command.length) throw new Fault("io-failed", `TPM device ${path} took only part of the command`);
    const buffer = new Uint8Array(MAX_MESSAGE_OCTETS);
    const response = buffer.subarray(0, await file.read(buffer));
    if (responseSize(response) !== response.length)
      throw new Fault("malformed", `TPM device ${path} gave ${response.length} octets, not the whole response`);
    return response;
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    const errno = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw new Fault("io-failed", `TPM device ${path} failed: ${errno}`, { cause, detail: { path, errno } });
  }
}
