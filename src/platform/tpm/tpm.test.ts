import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { concatBytes, encodeHex, encodeUtf8, parseHex } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { getRandom } from "../../kernel/tpm/commands/basic.ts";
import { flushContext, type LoadedKey, startPolicySession } from "../../kernel/tpm/index.ts";
import { systemClock } from "../clock/index.ts";
import { createTpm } from "./create-tpm.ts";
import { type DeviceFile, openDeviceTransport } from "./device-transport.ts";
import {
  keepPrimaries,
  openTpm,
  parseTpmAddress,
  readPcrs,
  releasePrimaries,
  type Tpm,
  withHandle,
  withPrimary,
  withSession,
} from "./index.ts";
import { initializeSwtpm, openSocketTransport } from "./socket-transport.ts";
import type { TpmTransport } from "./transport.ts";

const RANDOM = parseHex("80010000000e0000000000020102");
const refusal = (code: string) => parseHex(`80010000000a${code.padStart(8, "0")}`);
const ended: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

/** A server that answers each command as told. */
async function aServer(answer: (socket: Socket, command: Buffer) => void): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => {
    socket.on("data", (command) => answer(socket, command));
    socket.on("error", () => socket.destroy());
    ended.push(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ended.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.address();
  return { port: typeof address === "object" && address !== null ? address.port : 0, server };
}

async function aTpm(answer: (socket: Socket, command: Buffer) => void, timeoutMs = 2_000): Promise<Tpm> {
  const { port } = await aServer(answer);
  const transport = await openSocketTransport({ host: "127.0.0.1", port }, { timeoutMs });
  ended.push(() => transport.close());
  return createTpm(transport, { clock: systemClock, timeoutMs });
}

async function codeOf(run: Promise<unknown>): Promise<[string, string]> {
  try {
    await run;
  } catch (fault) {
    if (isFault(fault)) return [fault.code, fault.message];
    throw fault;
  }
  return ["none", ""];
}

describe("a TPM behind a socket", () => {
  it("answers, also in pieces of one octet", async () => {
    const tpm = await aTpm((socket) => {
      for (const octet of RANDOM) socket.write(Uint8Array.of(octet));
    });
    expect(encodeHex(await tpm.send(getRandom(2)))).toBe("0102");
  });

  it("gets one command at a time", async () => {
    const sizes: number[] = [];
    const tpm = await aTpm((socket, command) => {
      sizes.push(command.length);
      setTimeout(() => socket.write(RANDOM), 5);
    });
    await Promise.all([tpm.send(getRandom(2)), tpm.send(getRandom(2)), tpm.send(getRandom(2))]);
    expect(sizes).toEqual([12, 12, 12]);
  });

  const faults: Readonly<Record<string, [(socket: Socket) => void, string, RegExp]>> = {
    "closes before it answers": [(socket) => socket.destroy(), "unavailable", /before it answered/],
    "is cut off in the middle of its answer": [
      (socket) => void socket.end(RANDOM.subarray(0, 7)),
      "unavailable",
      /after 7 octets/,
    ],
    "states fewer octets than it sends": [
      (socket) => void socket.write(concatBytes([RANDOM, RANDOM])),
      "malformed",
      /more than one/,
    ],
    "states a size that no TPM message has": [
      (socket) => void socket.write(parseHex("8001ffffffff00000000")),
      "malformed",
      /4096/,
    ],
    "is locked out": [(socket) => void socket.write(refusal("921")), "unavailable", /locked out/],
    refuses: [(socket) => void socket.write(refusal("101")), "io-failed", /failure mode/],
    "is no TPM 2.0": [(socket) => void socket.write(parseHex("00c40000000a00000000")), "unsupported", /TPM 2.0/],
    "is silent": [() => undefined, "timeout", /within 50 ms/],
  };
  it.each(Object.entries(faults))("that %s is a clear fault", async (_, [answer, code, message]) => {
    const tpm = await aTpm((socket) => answer(socket), 50);
    const [seen, text] = await codeOf(tpm.send(getRandom(2)));
    expect([seen, text]).toEqual([code, expect.stringMatching(message)]);
  });

  it("is not asked again after a lost answer, which would come as the answer to the next command", async () => {
    const tpm = await aTpm(() => undefined, 30);
    await codeOf(tpm.send(getRandom(2)));
    expect((await codeOf(tpm.send(getRandom(2))))[1]).toContain("failed before");
  });

  it("that nobody serves is unavailable", async () => {
    const { port, server } = await aServer(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    expect((await codeOf(openTpm(`swtpm:host=127.0.0.1,port=${port}`, { clock: systemClock })))[0]).toBe("unavailable");
  });

  it("stops when told to", async () => {
    const { port } = await aServer(() => undefined);
    const transport = await openSocketTransport({ host: "127.0.0.1", port }, { timeoutMs: 2_000 });
    ended.push(() => transport.close());
    const abort = new AbortController();
    const run = codeOf(createTpm(transport, { clock: systemClock, signal: abort.signal }).send(getRandom(1)));
    setTimeout(() => abort.abort(), 5);
    expect((await run)[0]).toBe("aborted");
  });

  it("is told to begin over the control channel", async () => {
    const commands: string[] = [];
    const { port } = await aServer((socket, command) => {
      commands.push(encodeHex(command));
      socket.write(parseHex(commands.length === 1 ? "00000000" : "00000009"));
    });
    await initializeSwtpm({ host: "127.0.0.1", port }, { timeoutMs: 2_000 });
    expect(commands).toEqual(["0000000200000000"]);
    const [code, message] = await codeOf(initializeSwtpm({ host: "127.0.0.1", port }, { timeoutMs: 2_000 }));
    expect([code, message]).toEqual(["io-failed", expect.stringContaining("result 9")]);
  });
});

/** Answers from a list; the last one again and again. */
function aTransport(...answers: readonly Uint8Array[]): TpmTransport & { readonly commands: string[] } {
  const commands: string[] = [];
  return {
    address: "stand-in",
    commands,
    exchange: async (command) => {
      commands.push(encodeHex(command));
      return answers[Math.min(commands.length, answers.length) - 1] ?? RANDOM;
    },
    close: async () => undefined,
  };
}

describe("patience", () => {
  it.each(["922", "90a", "908"])("sends the same bytes again on %s, later each time", async (code) => {
    const clock = createManualClock();
    const transport = aTransport(refusal(code), refusal(code), RANDOM);
    const answer = createTpm(transport, { clock }).send(getRandom(2));
    await clock.untilSleeping();
    expect(clock.pending()).toEqual([20]);
    await clock.advance(20);
    expect(clock.pending()).toEqual([40]);
    await clock.advance(40);
    expect(encodeHex(await answer)).toBe("0102");
    expect(new Set(transport.commands).size).toBe(1);
  });

  it("ends after ten tries with the TPM's own words", async () => {
    const transport = aTransport(refusal("922"));
    const clock = { now: () => 0, sleep: async () => undefined };
    const [code, message] = await codeOf(createTpm(transport, { clock }).send(getRandom(2)));
    expect([code, transport.commands.length]).toEqual(["unavailable", 10]);
    expect(message).toContain("asks to retry");
  });
});

describe("handles", () => {
  const session = parseHex(`80010000002000000000030000000010${"00".repeat(16)}`);
  const done = parseHex("80010000000a00000000");
  const flush = "80010000000e0000016503000000";

  it("are flushed when their use succeeds, and when it fails", async () => {
    for (const use of [async () => 1, async () => Promise.reject(new Error("in use"))]) {
      const transport = aTransport(session, done);
      const tpm = createTpm(transport, { clock: systemClock });
      await withSession(tpm, startPolicySession(new Uint8Array(16)), use).catch((failure: Error) => {
        expect(failure.message).toBe("in use");
      });
      expect(transport.commands.at(-1)).toBe(flush);
    }
  });

  it("leave the failure of their use in sight when the flush fails too", async () => {
    const tpm = createTpm(aTransport(session, refusal("910")), { clock: systemClock });
    const load = { ...startPolicySession(new Uint8Array(16)), parse: () => ({ handle: 0x03000000 }) };
    await expect(withHandle(tpm, load, () => Promise.reject(new Error("in use")))).rejects.toThrow("in use");
    await expect(withHandle(tpm, load, async () => 1)).rejects.toThrow("not loaded");
  });
});

describe("primary keys that are kept", () => {
  const done = parseHex("80010000000a00000000");
  /** A key of this handle; its other properties do not matter here. */
  const make = (name: string) => ({
    name: "CreatePrimary",
    bytes: encodeUtf8(name),
    parse: (response: Uint8Array) => ({ handle: response[0] ?? 0 }) as LoadedKey,
  });
  const key = (handle: number) => Uint8Array.of(handle, ...done.subarray(1));
  const flushOf = (handle: string) => `80010000000e00000165${handle.padStart(8, "0")}`;
  const sent = (name: string) => encodeHex(encodeUtf8(name));
  const handleOf = async ({ handle }: LoadedKey) => handle;
  const keeping = (...answers: readonly Uint8Array[]) => {
    const transport = aTransport(...answers);
    return { transport, tpm: keepPrimaries(createTpm(transport, { clock: systemClock })) };
  };

  it("are made once, also by two at a time, and flushed at the end", async () => {
    const { transport, tpm } = keeping(key(1), key(2), done);
    const uses = ["ek", "ek", "ak", "ek"].map((name) => withPrimary(tpm, make(name), handleOf));
    expect(await Promise.all(uses)).toEqual([1, 1, 2, 1]);
    await tpm.close();
    expect(transport.commands).toEqual([sent("ek"), sent("ak"), flushOf("1"), flushOf("2")]);
  });

  it("are made again where the TPM has lost them, once", async () => {
    const { transport, tpm } = keeping(key(1), refusal("911"), refusal("910"), key(2), done);
    const use = async ({ handle }: LoadedKey) => {
      if (handle === 1) await tpm.send(flushContext(9));
      return handle;
    };
    expect(await withPrimary(tpm, make("ek"), use)).toBe(2);
    expect(await withPrimary(tpm, make("ek"), handleOf)).toBe(2);
    expect(transport.commands).toEqual([sent("ek"), flushOf("9"), flushOf("1"), sent("ek")]);
    const gone = () => Promise.reject(new Fault("not-found", "gone again"));
    await expect(withPrimary(tpm, make("ek"), gone)).rejects.toThrow("gone again");
  });

  it("stay where a use of them fails, and make room when told to", async () => {
    const { transport, tpm } = keeping(key(1), done);
    await expect(withPrimary(tpm, make("ek"), () => Promise.reject(new Fault("untrusted", "no")))).rejects.toThrow(
      "no",
    );
    await releasePrimaries(tpm);
    await releasePrimaries(tpm);
    expect(transport.commands).toEqual([sent("ek"), flushOf("1")]);
  });

  it("are asked for again where they could not be made", async () => {
    const { tpm } = keeping(refusal("902"), key(3));
    const parse = (response: Uint8Array) => {
      if (response.length > 0 && response[0] === 0x80) throw new Fault("unavailable", "no room");
      return { handle: response[0] ?? 0 } as LoadedKey;
    };
    await expect(withPrimary(tpm, { ...make("ek"), parse }, handleOf)).rejects.toThrow("no room");
    expect(await withPrimary(tpm, { ...make("ek"), parse }, handleOf)).toBe(3);
  });
});

describe("PCR values", () => {
  it("of a bank that the TPM does not keep are a fault, not a loop", async () => {
    const nothing = parseHex("8001000000160000000000000001" + "00000000" + "00000000");
    const tpm = createTpm(aTransport(nothing), { clock: systemClock });
    await expect(readPcrs(tpm, 0x0b, [0, 1])).rejects.toThrow("does not keep PCR 0, 1");
  });
});

describe("a TPM behind a device", () => {
  function aDevice(overrides: Partial<DeviceFile> = {}): DeviceFile & { readonly log: string[] } {
    const log: string[] = [];
    return {
      log,
      write: async (bytes) => {
        log.push(`write ${encodeHex(bytes)}`);
        return bytes.length;
      },
      read: async (into) => {
        log.push(`read ${into.length}`);
        into.set(RANDOM);
        return RANDOM.length;
      },
      close: async () => void log.push("close"),
      ...overrides,
    };
  }
  const tpmOf = async (device: DeviceFile, timeoutMs = 2_000) => {
    const transport = await openDeviceTransport("/dev/tpmrm0", async () => device);
    return createTpm(transport, { clock: systemClock, timeoutMs });
  };

  it("gets each command in one write and gives each response in one read", async () => {
    const device = aDevice();
    const tpm = await tpmOf(device);
    await tpm.send(getRandom(2));
    await tpm.close();
    await tpm.close();
    expect(device.log).toEqual(["write 80010000000c0000017b0002", "read 4096", "close"]);
  });

  const faults: Readonly<Record<string, [Partial<DeviceFile>, string]>> = {
    "takes half a command": [{ write: async () => 3 }, "io-failed"],
    "gives half a response": [{ read: async (into) => halfAnswer(into) }, "malformed"],
    "gives nothing": [{ read: async () => 0 }, "malformed"],
    fails: [{ read: () => Promise.reject(Object.assign(new Error("EIO"), { code: "EIO" })) }, "io-failed"],
    hangs: [{ read: () => new Promise(() => undefined) }, "timeout"],
  };
  function halfAnswer(into: Uint8Array): number {
    into.set(RANDOM);
    return RANDOM.length - 2;
  }
  it.each(Object.entries(faults))("that %s is a clear fault", async (_, [overrides, code]) => {
    const tpm = await tpmOf(aDevice(overrides), 30);
    expect((await codeOf(tpm.send(getRandom(2))))[0]).toBe(code);
  });

  it("is opened, written and read as a file: a named pipe gives back what it was given", async () => {
    const directory = mkdtempSync(join(tmpdir(), "countersign-tpm-"));
    ended.push(() => rmSync(directory, { recursive: true, force: true }));
    const path = join(directory, "device");
    execFileSync("mkfifo", [path]);
    const tpm = createTpm(await openDeviceTransport(path), { clock: systemClock });
    expect((await codeOf(tpm.send(getRandom(2))))[1]).toContain("0x17b");
    await tpm.close();
    expect((await codeOf(openDeviceTransport(join(directory, "none"))))[0]).toBe("not-found");
  });
});

describe("TPM addresses", () => {
  it.each([
    ["/dev/tpmrm0", { kind: "device", path: "/dev/tpmrm0" }],
    ["device:/dev/tpm0", { kind: "device", path: "/dev/tpm0" }],
    ["swtpm:path=/run/a.sock", { kind: "swtpm", socket: { path: "/run/a.sock" } }],
    ["swtpm:host=127.0.0.1,port=2321", { kind: "swtpm", socket: { host: "127.0.0.1", port: 2321 } }],
    ["swtpm:port=2321", { kind: "swtpm", socket: { host: "127.0.0.1", port: 2321 } }],
  ])("%s is read", (text, expected) => expect(parseTpmAddress(text)).toEqual(expected));
  it.each(["", "tpm0", "swtpm:", "swtpm:port=0", "swtpm:port=x", "device:tpm0", "mssim:port=1"])(
    "%s is refused",
    (text) => {
      expect(() => parseTpmAddress(text)).toThrow("TPM address");
    },
  );
});
