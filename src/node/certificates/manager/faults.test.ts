// What goes wrong around a node: the server's answers, the connection, the disk, the clock. Each time nothing is lost,
// the problem is reported, and the node continues by itself afterwards.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aManagedNode, type ManagedNode } from "../../../../test/builders/managed-node.ts";
import { aNodeCa } from "../../../../test/builders/node-ca.ts";
import { type CsrApi, startCsrApi, type Temper } from "../../../../test/fakes/csr-api.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { readCertificates } from "../../../kernel/x509/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import { type FileSystem, nodeFileSystem } from "../../../platform/files/index.ts";
import { createKubeClient } from "../../../platform/kube/index.ts";
import { createCertificateStore } from "../store/store.ts";
import type { ManagerOptions } from "./options.ts";

const ca = aNodeCa();
const MINUTE_MS = 60_000;
const LIFE_MS = 2 * MINUTE_MS;

describe("a certificate manager in trouble", () => {
  let api: CsrApi;
  let node: ManagedNode;

  beforeEach(async () => {
    api = await startCsrApi(ca, LIFE_MS);
    const cluster = { api: { url: api.server.url, caPem: api.server.ca.certPem }, token: "abcdef.0123456789abcdef" };
    node = aManagedNode(cluster as never);
  });
  afterEach(async () => {
    await api.server.close();
    node.remove();
  });

  const connect = (credentials: object) => {
    const { url, ca: server } = api.server;
    return createKubeClient({ server: url, caPem: server.certPem, credentials: () => credentials });
  };
  const access = (): ManagerOptions["access"] => ({
    roots: readCertificates(ca.certPem),
    evidenceCluster: "test",
    asNode: ({ certificatePem: certPem, keyPem }) => connect({ certPem, keyPem }),
    asBootstrapper: async () => connect({ token: "abcdef.0123456789abcdef" }),
  });
  const run = (more: Partial<ManagerOptions> = {}) => node.run({ access: access(), ...more });
  const reasons = () =>
    node.events.flatMap((event) => {
      if (event.kind === "failed") return [event.fault.message];
      return event.kind === "request" && event.state.kind === "pending" ? [event.state.why] : [];
    });

  describe("with the server's answers", () => {
    const SAID: Readonly<Record<string, { tempers: readonly Temper[]; said?: RegExp; requests?: number }>> = {
      "403 to the request: says so and asks again": {
        tempers: [{ verb: "create", answer: 403 }],
        said: /the server says Forbidden/,
      },
      "401 to the bootstrap credential: says so and asks again": {
        tempers: [{ verb: "create", answer: 401 }],
        said: /the server says Unauthorized/,
      },
      "409 for a request that is not there when it looks: asks again": { tempers: [{ verb: "create", answer: 409 }] },
      "429 to the request: waits as long as it is told": {
        tempers: [{ verb: "create", answer: 429, retryAfterSeconds: 20 }],
        said: /the server says TooManyRequests/,
      },
      "500 to the request, five times": {
        tempers: Array.from({ length: 5 }, () => ({ verb: "create", answer: 500 }) as const),
        said: /the server says InternalError/,
      },
      "a create whose answer is lost: finds its request": { tempers: [{ verb: "create", answer: "drop" }] },
      "410 to the watch: reads instead": { tempers: [{ verb: "watch", answer: 410 }] },
      "403 to the watch: reads instead": { tempers: [{ verb: "watch", answer: 403 }] },
      "a watch that breaks in the middle of an event: reads instead": { tempers: [{ verb: "watch", answer: "drop" }] },
      "watch and read both broken: goes on with the next watch": {
        tempers: [
          { verb: "watch", answer: "drop" },
          { verb: "get", answer: 500 },
        ],
      },
    };

    it.each(Object.entries(SAID))("%s", async (_, { tempers, said, requests = 1 }) => {
      api.next(...tempers);
      const startMs = node.clock.now();
      const { manager, stop } = run();
      const { pair } = await node.untilEvent("stored");
      expect(manager.current()).toBe(pair);
      expect(api.names()).toHaveLength(requests);
      if (said !== undefined) expect(reasons()).toContainEqual(expect.stringMatching(said));
      const asked = tempers[0]?.retryAfterSeconds ?? 0;
      expect(node.clock.now() - startMs).toBeGreaterThanOrEqual(asked * 1_000);
      await stop();
    });

    it("401 to its own certificate: bootstraps again", async () => {
      await node.manager({ access: access() }).renew();
      api.next({ verb: "create", answer: 401 });
      const { stop } = run();
      await node.untilEvent("refused");
      await node.untilEvent("stored");
      const asked = node.events.flatMap((event) => (event.kind === "asking" ? [event.as] : []));
      expect(asked.slice(-2)).toEqual(["node", "bootstrap"]);
      await stop();
    });
  });

  describe("with the disk", () => {
    /** A store whose disk answers `errno` to every write as long as `isBad` says so. */
    function troubled(errno: string, words: string, isBad: () => boolean) {
      const writes: ReadonlySet<string> = new Set(["create", "link", "symlink", "rename", "makeDirectory"]);
      const fileSystem = new Proxy(nodeFileSystem, {
        get: (real, name: keyof FileSystem) => {
          const operation = real[name] as (...args: unknown[]) => unknown;
          return async (...args: unknown[]) => {
            if (writes.has(name) && isBad()) {
              throw new Fault("io-failed", `cannot ${name} ${String(args[0])}: ${words}`, { detail: { errno } });
            }
            return operation(...args);
          };
        },
      });
      return createCertificateStore({ directory: node.store.layout.directory, clock: node.clock, fileSystem });
    }

    it.each([
      ["full", "ENOSPC", /no space is left on the device/],
      ["read-only", "EROFS", /the file system is read-only/],
    ])("%s: keeps the old pair, says so, stores the same certificate once it can", async (_, errno, said) => {
      const before = await node.manager({ access: access() }).renew();
      let isBad = true;
      const words =
        errno === "ENOSPC" ? "no space is left on the device (ENOSPC)" : "the file system is read-only (EROFS)";
      const store = troubled(errno, words, () => isBad && existsSync(node.store.layout.pendingKeyPath));
      const { manager, stop } = run({ store });
      const { fault } = await node.untilEvent("failed");
      expect(fault.code).toBe("io-failed");
      expect(fault.message).toMatch(said);
      expect(manager.current()?.certificatePem).toBe(before.certificatePem);
      const key = readFileSync(node.store.layout.pendingKeyPath, "utf8");
      isBad = false;
      expect((await node.untilEvent("stored")).pair.keyPem.trim()).toBe(key.trim());
      expect(api.names()).toHaveLength(2);
      await stop();
    });

    it.each([
      ["half-written", "-----BEGIN CERTIFICATE-----\nMIIB"],
      ["empty", ""],
      ["of another node and over", aNodeCa().issueNode({ nodeName: "worker-2", notBeforeMs: 0, notAfterMs: 1 })],
    ])("a current file that is %s: moved aside with a message, and a new one asked for", async (_, content) => {
      await node.store.open();
      const text = typeof content === "string" ? content : content.certificatePem + content.keyPem;
      writeFileSync(node.store.layout.currentPath, text);
      const { stop } = run();
      await node.untilEvent("stored");
      expect(node.notices).toEqual([expect.stringMatching(/was unusable and is now .*damaged/)]);
      await stop();
    });

    it("a current file of another node, in force: left where it is, and said", async () => {
      const { certificatePem, keyPem } = aNodeCa().issueNode({ nodeName: "worker-2" });
      await node.store.open();
      writeFileSync(node.store.layout.currentPath, certificatePem + keyPem);
      const { stop } = run();
      const { fault } = await node.untilEvent("failed");
      expect(fault).toMatchObject({
        code: "bad-config",
        message: expect.stringContaining("is node worker-2's, not worker-1's"),
      });
      expect(readFileSync(node.store.layout.currentPath, "utf8")).toBe(certificatePem + keyPem);
      expect([node.notices, api.names()]).toEqual([[], []]);
      await stop();
    });

    it("a half-written pending key: moved aside, and a new one made", async () => {
      await node.store.open();
      writeFileSync(node.store.layout.pendingKeyPath, "-----BEGIN EC PRIV");
      const { stop } = run();
      await node.untilEvent("stored");
      expect(node.notices).toEqual([expect.stringMatching(/key\.tmp was unusable/)]);
      await stop();
    });

    it("gone while it runs: the pair in memory goes on", async () => {
      const { manager, stop } = run();
      const { pair } = await node.untilEvent("stored");
      rmSync(node.store.layout.directory, { recursive: true });
      await node.clock.advance(MINUTE_MS);
      expect(manager.current()).toBe(pair);
      await stop();
    });
  });

  describe("with the clock", () => {
    /** A clock that can be set while sleeps go on as they were, as a machine's. */
    function settable(): Clock & { set(byMs: number): void } {
      let offMs = 0;
      return {
        now: () => node.clock.now() + offMs,
        sleep: node.clock.sleep,
        set: (byMs) => {
          offMs += byMs;
        },
      };
    }

    it("set back by a day: renews in time all the same", async () => {
      const clock = settable();
      const { stop } = run({ clock });
      await node.untilEvent("stored");
      const bornMs = node.clock.now();
      clock.set(-24 * 60 * MINUTE_MS);
      await node.untilEvent("asking");
      expect(node.clock.now() - bornMs).toBeLessThan(LIFE_MS);
      await node.untilEvent("stored");
      await stop();
    });

    it("set forward by a day: the certificate looks expired, is tried all the same and renewed", async () => {
      const clock = settable();
      const noBootstrap = { ...access(), asBootstrapper: async () => undefined };
      await node.manager({ access: access() }).renew();
      clock.set(24 * 60 * MINUTE_MS);
      const { manager, stop } = run({ clock, access: noBootstrap });
      expect(await node.untilEvent("asking")).toMatchObject({ why: "expired", as: "node" });
      const { pair } = await node.untilEvent("stored");
      expect(manager.current()).toBe(pair);
      expect(node.events.some(({ kind }) => kind === "skew")).toBe(true);
      await stop();
    });

    it("set back during a pause: the pause does not grow by that", async () => {
      const clock = settable();
      api.next(...Array.from({ length: 3 }, () => ({ verb: "create", answer: 403 }) as const));
      const { stop } = run({ clock });
      await node.untilEvent("failed");
      clock.set(-24 * 60 * MINUTE_MS);
      const startMs = node.clock.now();
      await node.untilEvent("stored");
      expect(node.clock.now() - startMs).toBeLessThan(10 * MINUTE_MS);
      await stop();
    });
  });
});
