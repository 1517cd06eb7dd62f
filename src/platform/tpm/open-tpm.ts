// From an address to a TPM that takes commands. Addresses are spelled as tpm2-tools spell theirs:
//   /dev/tpmrm0, device:/dev/tpmrm0        the kernel's resource manager
//   swtpm:path=/run/tpm.sock               a simulator on a Unix socket
//   swtpm:host=127.0.0.1,port=2321         a simulator on TCP

import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { startup } from "../../kernel/tpm/index.ts";
import { COMMAND_TIMEOUT_MS, createTpm, type Tpm, type TpmOptions } from "./create-tpm.ts";
import { openDeviceTransport } from "./device-transport.ts";
import { flushLeftovers } from "./handles.ts";
import { openSocketTransport, type SocketAddress } from "./socket-transport.ts";
import type { TpmTransport } from "./transport.ts";

export const DEFAULT_TPM_ADDRESS = "/dev/tpmrm0";

type TpmAddress =
  | { readonly kind: "device"; readonly path: string }
  | { readonly kind: "swtpm"; readonly socket: SocketAddress };

export function parseTpmAddress(text: string): TpmAddress {
  if (text.startsWith("/")) return { kind: "device", path: text };
  const [kind, rest = ""] = splitOnce(text, ":");
  if (kind === "device" && rest.startsWith("/")) return { kind: "device", path: rest };
  if (kind === "swtpm") return { kind: "swtpm", socket: parseSocket(text, rest) };
  throw badAddress(text);
}

function parseSocket(text: string, rest: string): SocketAddress {
  const settings = new Map(rest.split(",").map((setting) => splitOnce(setting, "=")));
  const path = settings.get("path");
  if (path !== undefined && path !== "") return { path };
  const port = Number(settings.get("port"));
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw badAddress(text);
  return { host: settings.get("host") ?? "127.0.0.1", port };
}

function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function badAddress(text: string): Fault {
  const forms = "/dev/tpmrm0, swtpm:path=SOCKET or swtpm:host=HOST,port=PORT";
  return new Fault("bad-config", `TPM address must be ${forms}, got ${JSON.stringify(text.slice(0, 200))}`);
}

export async function openTpm(address: string, options: TpmOptions): Promise<Tpm> {
  const parsed = parseTpmAddress(address);
  const transport = await openTransport(parsed, options);
  const tpm = createTpm(transport, options);
  if (parsed.kind === "device") return tpm;
  try {
    await startSimulator(tpm);
  } catch (failure) {
    await tpm.close();
    throw failure;
  }
  return tpm;
}

function openTransport(address: TpmAddress, options: TpmOptions): Promise<TpmTransport> {
  if (address.kind === "device") return openDeviceTransport(address.path);
  const { timeoutMs = COMMAND_TIMEOUT_MS, signal } = options;
  return openSocketTransport(address.socket, { timeoutMs, signal });
}

/** Firmware starts a real TPM; a simulator has to be started here, and cleared up after its last client. */
async function startSimulator(tpm: Tpm): Promise<void> {
  try {
    await tpm.send(startup());
  } catch (failure) {
    const isStarted = isFault(failure) && failure.detail["responseCode"] === "100";
    if (!isStarted) throw failure;
  }
  await flushLeftovers(tpm);
}
