import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { startTestApiServer } from "../../../test/fakes/api-server.ts";
import { parseCertificate } from "../../kernel/x509/index.ts";
import { fetchServingCertificate, resolveName } from "./index.ts";

const never = new AbortController().signal;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

describe("fetchServingCertificate", () => {
  it("sees the certificate of a server that the CA vouches for, and of no other", async () => {
    const server = await startTestApiServer();
    ends.push(server.close);
    const address = { host: "127.0.0.1", port: server.port, timeoutMs: 2_000 };
    const der = await fetchServingCertificate({ ...address, caPem: server.caPem }, never);
    expect(parseCertificate(der).subjectAltNames?.ipAddresses).toContain("127.0.0.1");
    const other = await startTestApiServer();
    ends.push(other.close);
    await expect(fetchServingCertificate({ ...address, caPem: other.caPem }, never)).rejects.toMatchObject({
      code: "untrusted",
    });
  });

  it("tells silence and absence from a bad certificate", async () => {
    const silent = createServer();
    silent.on("connection", (socket) => ends.push(() => socket.destroy()));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const address = { host: "127.0.0.1", port, caPem: "", timeoutMs: 50 };
    await expect(fetchServingCertificate(address, never)).rejects.toMatchObject({
      code: "timeout",
    });
    for (const end of ends.splice(0)) await end();
    await new Promise((resolve) => silent.close(resolve));
    await expect(fetchServingCertificate(address, never)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("stops when it is told to", async () => {
    const address = { host: "127.0.0.1", port: 9, caPem: "", timeoutMs: 5_000 };
    await expect(fetchServingCertificate(address, AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
  });
});

/** A DNS server that gives every question for an A record the same answer, and every other one none. */
async function aDnsServer(reply: "address" | "none" | "silence"): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (question, from) => {
    if (reply === "silence") return;
    const end = question.indexOf(0, 12) + 5;
    const isA = question.readUInt16BE(end - 4) === 1;
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(reply === "none" ? 0x8183 : 0x8180, 2);
    const hasAnswer = reply === "address" && isA;
    header.writeUInt16BE(hasAnswer ? 1 : 0, 6);
    header.writeUInt16BE(0, 10);
    const answer = hasAnswer ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 10, 0, 0, 3]) : Buffer.alloc(0);
    socket.send(Buffer.concat([header, question.subarray(12, end), answer]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  ends.push(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

describe("resolveName", () => {
  it("tells an answer, no such name, and no answer apart", async () => {
    const ask = async (reply: "address" | "none" | "silence") =>
      resolveName("worker-3.example.com", { timeoutMs: 200, servers: [await aDnsServer(reply)] });
    expect(await ask("address")).toEqual({ kind: "Present", addresses: ["10.0.0.3"] });
    expect(await ask("none")).toEqual({ kind: "Absent" });
    await expect(ask("silence")).rejects.toMatchObject({ code: "unavailable" });
  });
});
