// docs/guides/gateway.md, typed as it stands, before a real kube-apiserver; and beside each promise somebody who tries
// to get what it says that nobody gets.

import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JWS_HEADER, parseToken, signDiscoveryJwt } from "../../src/api/bootstrap/index.ts";
import { parseKubeconfig } from "../../src/api/kubeconfig/index.ts";
import { aTestCa } from "../builders/tls-pair.ts";
import { type ApiEndpoint, callApi, type Sent } from "../fakes/api-client.ts";
import { startJwtRelay } from "../fakes/jwt-relay.ts";
import { spellingsFound } from "../fakes/recording-proxy.ts";
import { type Desk, linkPrograms, type } from "../guides/guide.ts";
import { locateBinary } from "./assets/binaries.mjs";
import {
  type ControlPlane,
  createWorkspace,
  locateProgram,
  startControlPlane,
  type Workspace,
  waitFor,
} from "./harness/index.ts";
import { findFreePorts } from "./harness/ports.ts";

const GUIDE = new URL("../../docs/guides/gateway.md", import.meta.url);
const PKI = ["ca.crt", "apiserver.crt", "apiserver.key", "front-proxy-client.crt", "front-proxy-client.key"];
const CLUSTER_INFO = "/api/v1/namespaces/kube-public/configmaps/cluster-info";

/** The lines of every fenced block, those that a backslash continues as one. */
async function guideLines(): Promise<readonly string[]> {
  const blocks = [...(await readFile(GUIDE, "utf8")).matchAll(/^```\n([\s\S]*?)^```$/gm)].map(
    ([, block = ""]) => block,
  );
  return blocks.flatMap((block) => block.replace(/\\\n\s*/g, "").split("\n")).filter((line) => line !== "");
}

describe("the gateway's guide", () => {
  let plane: ControlPlane;
  let workspace: Workspace;
  let desk: Desk;
  let gateway: ApiEndpoint;
  let token: string;
  let statusPort: number;

  beforeAll(async () => {
    workspace = await createWorkspace("guide-gateway");
    plane = await startControlPlane();
    const [port = 0, status = 0] = await findFreePorts(2);
    statusPort = status;
    const bin = linkPrograms(workspace.dir, { kubectl: locateBinary("kubectl").path });
    const program = `#!/bin/sh\nexec '${process.execPath}' '${locateProgram("countersign-gateway")}' "$@"\n`;
    await writeFile(join(bin, "countersign-gateway"), program, { mode: 0o755 });
    for (const name of PKI) await symlink(join(plane.pkiDir, name), join(workspace.dir, name));
    const PATH = `${bin}:${process.env["PATH"] ?? ""}`;
    desk = {
      directory: workspace.dir,
      examples: {
        "0.0.0.0:6443": `127.0.0.1:${port}`,
        "10.0.0.1:6443": `127.0.0.1:${port}`,
        "10.0.0.1:6444": `127.0.0.1:${plane.port}`,
        "127.0.0.1:9446": `127.0.0.1:${status}`,
      },
      env: { PATH, KUBECONFIG: plane.adminKubeconfigPath, HOME: workspace.dir },
    };
    const [user] = parseKubeconfig(await readFile(plane.adminKubeconfigPath, "utf8")).users;
    const text = (base64 = "") => Buffer.from(base64, "base64").toString();
    gateway = {
      ...{ port, caPem: plane.caPem, adminCertPem: text(user?.user["client-certificate-data"]) },
      adminKeyPem: text(user?.user["client-key-data"]),
    };
  });
  afterAll(async () => {
    const pid = Number(await readFile(join(workspace.dir, "gateway.pid"), "utf8").catch(() => "0"));
    if (pid > 0) process.kill(pid);
    await plane?.stop();
    await workspace?.remove();
  });

  const call = (sent: Sent) => callApi(gateway, sent);
  const jwt = () => ({ token: signDiscoveryJwt(parseToken(token), { nowMs: Date.now() }) });

  it("leads to a gateway through which a machine with a token finds the cluster", async () => {
    let shown = "";
    for (const line of await guideLines()) {
      const { code, text } = await type(desk, line);
      expect([code, text], line).toEqual([0, expect.any(String)]);
      if (line.startsWith("countersign-gateway")) {
        await waitFor({
          what: "the gateway of the guide",
          limitMs: 30_000,
          probe: async () => ((await fetch(`http://127.0.0.1:${statusPort}/readyz`)).ok ? true : undefined),
        });
      }
      shown = text;
    }
    token = (await readFile(join(workspace.dir, "token"), "utf8")).trim();
    expect(shown).toContain(`found by  a token at https://127.0.0.1:${gateway.port}`);
    // Nobody signs the ConfigMap here: the proof was the signed answer.
    const { stdout } = await plane.kubectl([
      "get",
      "cm",
      "cluster-info",
      "-n",
      "kube-public",
      "-o",
      "jsonpath={.data}",
    ]);
    expect(stdout).not.toContain("jws-kubeconfig");
  });

  it("promises the same users: a certificate of the client CA is its user, one of a stranger is refused", async () => {
    expect((await call({ path: "/api/v1/nodes" })).status).toBe(200);
    const stranger = aTestCa("stranger").issueClient("kubernetes-admin", ["system:masters"]);
    expect((await call({ path: "/api/v1/nodes", as: stranger })).status).toBe(401);
  });

  it("promises that X-Remote-* of clients counts for nothing", async () => {
    const headers = { "X-Remote-User": "admin", "X-Remote-Group": "system:masters" };
    const { status, body } = await call({ path: "/api/v1/nodes", headers, as: "anonymous" });
    expect([status, body.message]).toEqual([403, expect.stringContaining('User "system:anonymous"')]);
  });

  it("promises that a captured JWT opens cluster-info and nothing else, and that nothing else is signed for it", async () => {
    expect((await call({ path: CLUSTER_INFO, as: jwt() })).headers[JWS_HEADER]).toBeDefined();
    for (const path of [`${CLUSTER_INFO}?watch=true`, "/api/v1/namespaces/kube-public/configmaps", "/version"]) {
      const { status, headers } = await call({ path, as: jwt() });
      expect([status, headers[JWS_HEADER]], path).toEqual([403, undefined]);
    }
  });

  it("promises that a man in the middle without the token is not taken for the cluster", async () => {
    const { id, secret } = parseToken(token);
    const relay = await startJwtRelay(gateway, id);
    try {
      const line = "countersign discovery show --token-file token 10.0.0.1:6443 --timeout 3s";
      const misled = { ...desk, examples: { ...desk.examples, "10.0.0.1:6443": new URL(relay.url).host } };
      expect((await type(misled, line)).code).toBe(77);
      expect(spellingsFound(relay.recorded(), secret)).toEqual([]);
    } finally {
      await relay.close();
    }
  });
});
