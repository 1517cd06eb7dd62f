import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aSealingMachine } from "../../../test/builders/key-seal.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { createCertificateStore } from "../certificates/index.ts";
import { execKubeconfig, fileKubeconfig } from "../join/kubeconfigs.ts";
import { requireNoReader } from "./boot.ts";

const CLUSTER = { server: "https://127.0.0.1:6443", caPem: "CA" };

describe("where keys are sealed", () => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "readers-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const store = (sealKeys: boolean) =>
    createCertificateStore({ directory, clock: systemClock, keySeal: aSealingMachine(), sealKeys });
  const kubeconfig = () => join(directory, "kubeconfig");
  const current = () => join(directory, "kubelet-client-current.pem");

  it("a kubeconfig that calls the plugin is fine", async () => {
    writeFileSync(kubeconfig(), execKubeconfig(CLUSTER, { command: "plugin", args: [`--cert-dir=${directory}`] }));
    await requireNoReader(kubeconfig(), store(true));
  });

  const REFUSED: Record<string, [() => string | undefined, RegExp]> = {
    "that names the pair's file": [
      () => {
        writeFileSync(kubeconfig(), fileKubeconfig(CLUSTER, current()));
        return kubeconfig();
      },
      /reads the key from .*kubelet-client-current\.pem/,
    ],
    "that is yet to be written": [kubeconfig, /calls the plugin, and there is none/],
    "that nobody named": [() => undefined, /there is none/],
  };
  it.each(Object.entries(REFUSED))(
    "a kubeconfig %s is refused, with what to do; with plain keys it is not",
    async (_, row) => {
      const [prepare, message] = row;
      const path = prepare();
      await expect(requireNoReader(path, store(true))).rejects.toMatchObject({
        code: "bad-config",
        message: expect.stringMatching(message),
        detail: { todo: expect.stringContaining("countersign node join --provider tpm --seal-key") },
      });
      await requireNoReader(path, store(false));
    },
  );
});
