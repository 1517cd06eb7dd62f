import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { parseKubeconfig } from "../../api/kubeconfig/index.ts";
import { moveKubeconfig } from "./discovery-upkeep.ts";

const directory = mkdtempSync(join(tmpdir(), "countersign-move-"));
afterAll(() => rmSync(directory, { recursive: true }));

const PLACE = { server: "https://new.example", documentCaPem: "", tlsServerName: "api.example" };

function aKubeconfig(): string {
  const path = join(directory, "kubeconfig");
  const text = `
clusters:
- {name: own, cluster: {server: "https://old.example", tls-server-name: old, proxy-url: "http://proxy.example:3128"}}
- {name: other, cluster: {server: "https://other.example"}}
contexts: [{name: node, context: {cluster: own, user: node}}]
current-context: node
users: [{name: node, user: {client-certificate: /pki/current.pem}}]
`;
  writeFileSync(path, text);
  return path;
}

it("changes where the cluster in use is, and neither the way out, nor another cluster, nor the user", async () => {
  const path = aKubeconfig();
  expect(await moveKubeconfig(path, PLACE)).toBe(true);
  const { clusters, users } = parseKubeconfig(readFileSync(path, "utf8"));
  expect(clusters.map(({ name, cluster }) => [name, cluster])).toEqual([
    [
      "own",
      {
        server: "https://new.example",
        "tls-server-name": "api.example",
        "proxy-url": "http://proxy.example:3128",
      },
    ],
    ["other", { server: "https://other.example" }],
  ]);
  expect(users).toEqual([{ name: "node", user: { "client-certificate": "/pki/current.pem" } }]);
});

it("writes nothing where the file says so already, or is not there", async () => {
  const path = aKubeconfig();
  await moveKubeconfig(path, PLACE);
  expect(await moveKubeconfig(path, PLACE)).toBe(false);
  expect(await moveKubeconfig(join(directory, "none"), PLACE)).toBe(false);
});
