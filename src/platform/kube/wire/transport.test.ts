import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../../../test/fakes/https-server.ts";
import { patient } from "../../../../test/patience.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { MAX_CALL_CONNECTIONS } from "./generations.ts";
import { createTransport, type Transport } from "./transport.ts";

let server: TestServer;
let transport: Transport;
beforeAll(async () => {
  server = await startTestServer((_request, response) => response.end());
  transport = connect();
});
afterAll(async () => {
  await transport.close();
  await server.close();
});

function connect(): Transport {
  const connection = { server: server.url, caPem: server.ca.certPem, credentials: () => ({}) };
  return createTransport(connection, { maxResponseBytes: 1_000 });
}

describe("transport", () => {
  const get = { method: "GET", path: "/" };

  it("reads an answer up to its limit, and gives up one that is longer", async () => {
    server.handle((_request, response) => response.end(Buffer.alloc(1_000)));
    expect((await transport.call(get, 5_000)).body).toHaveLength(1_000);
    server.handle((_request, response) => {
      const more = setInterval(() => response.write(Buffer.alloc(400)), 1);
      response.once("close", () => clearInterval(more));
    });
    await expect(transport.call(get, 5_000)).rejects.toMatchObject({ code: "limit-exceeded" });
  });

  it("limits the body of a refused stream in the same way", async () => {
    server.handle((_request, response) => response.writeHead(500).end(Buffer.alloc(1_001)));
    await expect(transport.stream(get)).rejects.toMatchObject({ code: "limit-exceeded" });
  });

  it("fails a stream that outlives its time", async () => {
    server.handle((_request, response) => response.writeHead(200).flushHeaders());
    const pieces = (await transport.stream(get, 20)) as AsyncIterable<Uint8Array>;
    const reading = (async () => {
      for await (const _piece of pieces) expect.unreachable("nothing was sent");
    })();
    await expect(reading).rejects.toMatchObject({ code: "timeout" });
  });

  it("sends nothing when the last question before it says no, and the connection stays good", async () => {
    const seen: string[] = [];
    server.handle((request, response) => {
      seen.push(request.url ?? "");
      response.end("x");
    });
    const beforeSend = () => {
      throw new Fault("aborted", "the term is over");
    };
    await expect(transport.call({ ...get, path: "/refused", beforeSend }, 5_000)).rejects.toThrow("the term is over");
    await transport.call({ ...get, path: "/allowed", beforeSend: () => undefined }, 5_000);
    expect(seen).toEqual(["/allowed"]);
  });

  it("keeps its connection after each kind of call, also after a DELETE that has a body", async () => {
    const ports = new Set<number | undefined>();
    server.handle((request, response) => {
      ports.add(request.socket.remotePort);
      request.resume().once("end", () => response.end("{}"));
    });
    const own = connect();
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "DELETE", "GET"]) {
      await own.call({ method, path: "/", ...(method === "GET" ? {} : { body: "{}" }) }, 5_000);
      // A connection is free again in the turn after its answer.
      await nextTurn();
    }
    await own.close();
    expect(ports.size).toBe(1);
  });

  it("opens nothing in place of a watch that was left", async () => {
    server.handle((_request, response) => response.writeHead(200).write("{}\n"));
    const own = connect();
    let opened = 0;
    const count = () => opened++;
    subscribe("undici:client:beforeConnect", count);
    for (let watch = 0; watch < 3; watch++) {
      const before = server.connections();
      for await (const _piece of (await own.stream(get)) as AsyncIterable<Uint8Array>) break;
      await server.untilConnections(before);
    }
    unsubscribe("undici:client:beforeConnect", count);
    await own.close();
    expect(opened).toBe(3);
  });

  it("opens no watch that its end overtakes", async () => {
    server.handle(({ url }, response) => (url === "/ended" ? response.end() : response.writeHead(200).write("{}\n")));
    const before = server.connections();
    for (let turns = 0; turns < 20; turns++) {
      const own = connect();
      await own.call({ ...get, path: "/ended" }, 5_000);
      const opened = own.stream(get).then(
        () => "opened",
        (error: Fault) => error.code,
      );
      for (let turn = 0; turn < turns; turn++) await undefined;
      await own.close();
      expect(await opened).toBe("aborted");
    }
    await server.untilConnections(before);
  });

  it("rejects a caller whose time passes while it waits for a connection, and does not send later", async () => {
    const seen: string[] = [];
    const held: ServerResponse[] = [];
    server.handle((request, response) => {
      seen.push(request.url ?? "");
      held.push(response);
    });
    const before = Array.from({ length: MAX_CALL_CONNECTIONS }, () => transport.call(get, 10_000));
    await expect.poll(() => held.length, { timeout: patient(5_000) }).toBe(MAX_CALL_CONNECTIONS);
    await expect(transport.call({ ...get, path: "/late" }, 20)).rejects.toMatchObject({ code: "timeout" });
    for (const response of held) response.end();
    await Promise.all(before);
    server.handle((request, response) => {
      seen.push(request.url ?? "");
      response.end();
    });
    await transport.call({ ...get, path: "/next" }, 5_000);
    expect(seen.filter((path) => path !== "/")).toEqual(["/next"]);
  });

  it("leaves no listener on the signal of its caller, however the request ends", async () => {
    const { signal } = new AbortController();
    server.handle((_request, response) => response.writeHead(200).end("x"));
    await transport.call({ ...get, signal }, 5_000);
    for await (const _piece of (await transport.stream({ ...get, signal })) as AsyncIterable<Uint8Array>) break;
    server.handle((_request, response) => response.socket?.destroy());
    await expect(transport.call({ ...get, signal }, 5_000)).rejects.toMatchObject({ code: "unavailable" });
    await expect(transport.stream({ ...get, signal })).rejects.toMatchObject({ code: "unavailable" });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
