// Where the cluster is and which one evidence is for, before and after it has moved.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeKubeconfigFile } from "../../../../test/builders/kubeconfig-file.ts";
import { aNodeCa } from "../../../../test/builders/node-ca.ts";
import { evidenceClusterOf } from "../attested/claims.ts";
import { openClusterAccess } from "./access.ts";

const [old, young, machine] = [aNodeCa("old"), aNodeCa("young"), aNodeCa("a root of this machine")];
const SERVER = "https://127.0.0.1:6443";

describe("the way to the cluster", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "access-"));
    writeKubeconfigFile(join(root, "kubeconfig"), { url: SERVER, caPem: old.certPem }, {});
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const open = () =>
    openClusterAccess({
      kubeconfig: join(root, "kubeconfig"),
      bootstrapKubeconfig: undefined,
      asksWithKubeconfig: false,
    });

  it("begins where the kubeconfig says, and means the cluster of its CA", async () => {
    expect(await open()).toMatchObject({ server: SERVER, evidenceCluster: evidenceClusterOf(old.certPem) });
  });

  it("keeps the proxy that the kubeconfig names, wherever the cluster goes", async () => {
    const path = join(root, "kubeconfig");
    const proxied = readFileSync(path, "utf8").replace(/^( *)server: .*$/m, "$&\n$1proxy-url: http://127.0.0.1:3128");
    writeFileSync(path, proxied);
    const access = await open();
    access.move({ server: "https://127.0.0.1:7443", caPem: young.certPem });
    expect(access.proxyUrl).toBe("http://127.0.0.1:3128");
  });

  const MOVED: Readonly<Record<string, [caPem: string, writtenCaPem: string | undefined, id: string]>> = {
    "the new CA": [young.certPem, undefined, evidenceClusterOf(young.certPem)],
    "the CA that is written, though this machine's roots vouch too": [
      machine.certPem + young.certPem,
      young.certPem,
      evidenceClusterOf(young.certPem),
    ],
    "nobody knows which, where this machine's roots alone vouch": [machine.certPem, "", ""],
  };
  it.each(Object.entries(MOVED))("goes elsewhere and means the cluster of %s", async (_, [caPem, written, id]) => {
    const access = await open();
    const stayed = access.untilMoved?.();
    access.move({ server: "https://127.0.0.1:7443", caPem, writtenCaPem: written });
    expect(stayed?.aborted).toBe(true);
    expect(access).toMatchObject({
      server: "https://127.0.0.1:7443",
      caPem,
      writtenCaPem: written,
      evidenceCluster: id,
    });
  });
});
