import { chmodSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  aClusterInfo,
  aDocument,
  answerStatus,
  CLUSTER_ID,
  plainServer,
  signingServer,
  TOKEN,
} from "../../../../test/builders/discovery.ts";
import { aTestCa } from "../../../../test/builders/tls-pair.ts";
import { startTestServer, type TestServer } from "../../../../test/fakes/https-server.ts";
import { aProcess } from "../../../../test/fakes/process-edge.ts";
import { patient } from "../../../../test/patience.ts";
import { clusterLocationExtension, parseKubeconfig, selectContext } from "../../../api/kubeconfig/index.ts";
import { countersign, runProgram } from "../../index.ts";

const directory = mkdtempSync(join(tmpdir(), "discovery-cli-"));
afterAll(() => rmSync(directory, { recursive: true }));
const ca = aTestCa();
const token = `${TOKEN.id}.${TOKEN.secret}`;

let server: TestServer;
let documentText: string;
beforeEach(async () => {
  server = await startTestServer((_request, response) => response.end(), ca);
  documentText = aDocument({ server: server.url, caPem: ca.certPem, clusterId: CLUSTER_ID });
  server.handle(signingServer(aClusterInfo(documentText)));
});
afterEach(() => server.close());

async function run(argv: readonly string[]) {
  return await start(argv).ended;
}

/** What it has written so far, and the whole of it at the end. */
function start(argv: readonly string[], stop = new AbortController()) {
  const { edge, written } = aProcess({ env: { XDG_CACHE_HOME: directory, HOME: directory }, stop: stop.signal });
  const end = async () => {
    const exit = await runProgram(countersign, ["discovery", ...argv], edge);
    expect(`${written.out}${written.err}`).not.toContain(TOKEN.secret);
    return { exit, ...written };
  };
  return { written, ended: end() };
}

const cachePath = join(directory, "countersign", "discovery.json");
const fresh = () => rmSync(cachePath, { force: true });
const save = (name: string, text: string) => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};

describe("countersign discovery", () => {
  it("show finds a cluster by token, and says where it is and whom to trust there", async () => {
    fresh();
    const { exit, out } = await run(["show", "--token-file", save("token", token), server.url]);
    expect(exit).toBe(0);
    expect(out).toContain(`cluster   ${CLUSTER_ID}`);
    expect(out).toContain(`server    ${server.url}`);
    expect(out).toMatch(/roots {5}sha256:[0-9a-f]{64} {2}test-ca, until /);
    expect(out).toContain(`found by  a token at ${server.url}`);
  });

  it("show takes kubeadm's words, and JSON goes out", async () => {
    const argv = ["show", "--discovery-token", token, "--discovery-token-unsafe-skip-ca-verification", "-o", "json"];
    const found = JSON.parse((await run([...argv, server.url])).out);
    expect(found).toMatchObject({ clusterID: CLUSTER_ID, server: server.url, way: { kind: "token" } });
    const pinned = ["show", "--token", token, "--discovery-token-ca-cert-hash", found.roots[0].pin, server.url];
    expect((await run(pinned)).exit).toBe(0);
    const other = `sha256:${"ab".repeat(32)}`;
    const several = ["--ca-cert-hash", other, "--ca-cert-hash", `${other},${found.roots[0].pin}`];
    expect((await run(["show", "--token", token, ...several, server.url])).exit).toBe(0);
    expect(await run([...pinned, "--discovery-token-unsafe-skip-ca-verification"])).toMatchObject({ exit: 78 });
  });

  it("refuses with the check and what to do, and with exit 77", async () => {
    const { exit, err } = await run([
      "show",
      "--token",
      token,
      "--ca-cert-hash",
      `sha256:${"ab".repeat(32)}`,
      server.url,
    ]);
    expect(exit).toBe(77);
    expect(err).toContain("no CA of the signed document has a pinned key");
    expect(err).toContain("ask its operator for the pin");
    expect(err).toContain("do      do not go on");
  });

  it("waits aloud for a server that has nothing to show yet, and not longer than it was told", async () => {
    server.handle((_request, response) => answerStatus(response, 404, "NotFound"));
    const { exit, err } = await run(["show", "--token", token, "--timeout", "1s", server.url]);
    expect(exit).toBe(75);
    expect(err.match(/waiting/g)).toHaveLength(1);
    expect(err).toContain("was not found in time");
  });

  it("says what is missing when there is neither a way nor a cache", async () => {
    fresh();
    for (const verb of ["show", "verify", "refresh", "kubeconfig"]) {
      const { exit, err } = await run([verb]);
      expect(exit).toBe(69);
      expect(err).toContain("nothing was discovered before");
    }
    expect((await run(["show", server.url])).err).toContain("an address needs a token");
  });

  it("refresh fills the cache by a named way, and later by a cached one; show and verify read it", async () => {
    fresh();
    expect((await run(["refresh", "--token", token, server.url])).out).toContain("changed, by the way that was named");
    expect(statSync(cachePath).mode & 0o777).toBe(0o600);
    expect(readFileSync(cachePath, "utf8")).not.toContain(TOKEN.secret);
    server.handle(plainServer(aClusterInfo(documentText)));
    expect((await run(["refresh"])).out).toContain("confirmed, by known address and root");
    expect((await run(["show"])).out).toContain(server.url);
    const { exit, out } = await run(["verify"]);
    expect(exit).toBe(0);
    expect(out).toContain(`good  ${server.url}  vouched for; serves the same document`);
    expect(out).toMatch(/good {2}sha256:\w+ {2}test-ca is valid until/);
  });

  it("refresh again and again survives a cluster that is away, until it is stopped", async () => {
    fresh();
    await run(["refresh", "--token", token, server.url]);
    const stop = new AbortController();
    server.handle(plainServer(aClusterInfo(documentText)));
    const { written, ended } = start(["refresh", "--every", "1s"], stop);
    await expect.poll(() => written.out).toContain("confirmed");
    server.handle((_request, response) => answerStatus(response, 503, "ServiceUnavailable"));
    await expect.poll(() => written.err, { timeout: patient(5_000) }).toContain("not refreshed");
    stop.abort();
    const { exit, out, err } = await ended;
    expect({ exit, confirmed: out.includes("confirmed") }).toEqual({ exit: 130, confirmed: true });
    expect(err).toContain("not refreshed  no cached way leads to the cluster any more");
  });

  describe("refresh --kubeconfig keeps kubectl's file up to date", () => {
    const KUBECTL = (server: string, rest = "") => `# mine, do not touch
apiVersion: v1
kind: Config
preferences: {colors: true}
clusters:
- name: elsewhere
  cluster: {server: "https://other.example:6443", certificate-authority-data: QQ==}
- name: prod # the one
  cluster:
    server: ${server}
    certificate-authority: old-ca.crt
    proxy-url: http://proxy.example:3128${rest}
contexts:
- {name: prod, context: {cluster: prod, user: me, namespace: team}}
current-context: elsewhere
users:
- {name: me, user: {token: secret-of-mine}}
`;
    const follow = (path: string, ...more: string[]) => run(["refresh", "--kubeconfig", path, ...more]);
    const moved = aTestCa("new-ca");
    /** The cluster had two addresses, of which this one has gone, and says that it has another root from now on. */
    async function moveCluster(): Promise<string> {
      fresh();
      const gone = "https://127.0.0.1:1";
      const parts = { server: server.url, caPem: ca.certPem, clusterId: CLUSTER_ID };
      const first = aDocument({ ...parts, servers: [server.url, gone] });
      server.handle(plainServer(aClusterInfo(first)));
      await run(["refresh", "--cluster-info-file", save("first.yaml", first)]);
      server.handle(plainServer(aClusterInfo(aDocument({ ...parts, caPem: `${ca.certPem}${moved.certPem}` }))));
      return gone;
    }

    it("in the entry of this cluster alone, whichever context is current, and leaves the rest as it was written", async () => {
      const path = save("config", KUBECTL(await moveCluster()));
      chmodSync(path, 0o640);
      const { exit, out } = await follow(path);
      expect([exit, out]).toEqual([0, expect.stringContaining(`kubectl   ${path} brought up to date`)]);
      const text = readFileSync(path, "utf8");
      const [other, own] = parseKubeconfig(text).clusters;
      expect(own?.cluster).toEqual({
        server: server.url,
        "certificate-authority-data": btoa(`${ca.certPem}${moved.certPem}`),
        "proxy-url": "http://proxy.example:3128",
      });
      expect(other?.cluster.server).toBe("https://other.example:6443");
      for (const kept of [
        "# mine, do not touch",
        "\n- name: prod # the one",
        "colors: true",
        "secret-of-mine",
        "namespace: team",
      ])
        expect(text).toContain(kept);
      expect(statSync(path).mode & 0o777).toBe(0o640);
      expect((await follow(path)).out).toContain("is up to date");
      expect(readFileSync(path, "utf8")).toBe(text);
    });

    it("through a link, which stays one", async () => {
      const target = save("target", KUBECTL(await moveCluster()));
      const link = join(directory, "link");
      symlinkSync(target, link);
      expect((await follow(link)).exit).toBe(0);
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      expect(readFileSync(target, "utf8")).toContain(server.url);
    });

    it("and changes nothing where the entry with the address says that it is another cluster", async () => {
      await moveCluster();
      const { name, extension } = clusterLocationExtension({ clusterId: "another" });
      const extensions = JSON.stringify([{ name, extension }]);
      const path = save("foreign", KUBECTL(server.url, `\n    extensions: ${extensions}`));
      const before = readFileSync(path, "utf8");
      const { exit, err } = await follow(path);
      expect([exit, err]).toEqual([69, expect.stringContaining("has no entry for the cluster")]);
      expect(readFileSync(path, "utf8")).toBe(before);
    });

    it("and changes nothing while kubectl writes, nor when the cluster is not proved", async () => {
      await moveCluster();
      const path = save("busy", KUBECTL(server.url));
      const before = readFileSync(path, "utf8");
      const lock = save("busy.lock", "");
      expect((await follow(path)).err).toContain("is being written by another program");
      rmSync(lock);
      const impostor = aTestCa("impostor");
      const attacker = await startTestServer(plainServer(aClusterInfo(documentText)), impostor);
      fresh();
      const lie = aDocument({ server: attacker.url, caPem: ca.certPem, clusterId: CLUSTER_ID });
      const refused = await follow(path, "--cluster-info-file", save("lie.yaml", lie), "--timeout", "1s");
      await attacker.close();
      expect(refused.exit).toBe(77);
      expect(readFileSync(path, "utf8")).toBe(before);
    });
  });

  it("verify ends with 1 when one of several addresses is not good", async () => {
    const several = aDocument({ server: server.url, caPem: ca.certPem, servers: [server.url, "https://127.0.0.1:1"] });
    const path = save("several.yaml", several);
    server.handle(plainServer(aClusterInfo(several)));
    const { exit, out } = await run(["verify", "--cluster-info-file", path]);
    expect(exit).toBe(1);
    expect(out).toContain("bad   https://127.0.0.1:1  no connection");
  });

  it("kubeconfig writes one for kubectl, keeps an existing file, and takes an identity", async () => {
    const path = join(directory, "out.kubeconfig");
    const argv = ["kubeconfig", "--token", token, server.url, "--file", path, "--name", "prod"];
    const identity = ["--client-certificate", "c.pem", "--client-key", "k.pem"];
    expect((await run([...argv, ...identity])).exit).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { cluster, user } = selectContext(parseKubeconfig(readFileSync(path, "utf8")), "prod");
    expect(cluster.server).toBe(server.url);
    expect(user?.["client-key"]).toBe(join(process.cwd(), "k.pem"));
    expect((await run(argv)).exit).toBe(69);
    expect((await run([...argv, "--force"])).exit).toBe(0);
    expect(await run([...argv, "--client-key", "k.pem"])).toMatchObject({ exit: 78 });
  });

  it("kubeconfig --cluster-info writes the document that other machines are given", async () => {
    const { out } = await run(["kubeconfig", "--cluster-info", "--token", token, server.url]);
    server.handle((_request, response) => answerStatus(response, 403, "Forbidden"));
    const found = await run(["show", "--cluster-info-file", save("copied.yaml", out), "-o", "json"]);
    expect(JSON.parse(found.out)).toMatchObject({ clusterID: CLUSTER_ID, server: server.url, way: { kind: "file" } });
  });
});
