import { describe, expect, it } from "vitest";
import { aRoot } from "../../../test/builders/x509.ts";
import type { ConfigMap } from "../../api/core/index.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import type { Certificate } from "../../kernel/x509/index.ts";
import { createClusterIds, createClusterPins } from "./cluster-ids.ts";

const [signing, next] = [aRoot().certificate, aRoot().certificate];
const shared = aRoot({ subject: { commonName: "everybody's root" } }).certificate;
const pin = ({ publicKey }: Certificate) => `sha256:${encodeHex(sha256(publicKey.spki))}`;

function clusterInfo(version: string, ...roots: readonly Certificate[]): ConfigMap {
  const pem = roots.map(({ raw }) => encodePem("CERTIFICATE", raw)).join("");
  const data = Buffer.from(pem).toString("base64");
  const kubeconfig = `apiVersion: v1\nkind: Config\nclusters:\n- name: ""\n  cluster:\n    server: https://10.0.0.1:6443\n    certificate-authority-data: ${data}\n`;
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { resourceVersion: version }, data: { kubeconfig } };
}

describe("the pins of a cluster", () => {
  it.each<[string, ConfigMap | undefined, readonly Certificate[]]>([
    ["are that of the CA that signs", undefined, [signing]],
    ["are not told twice", clusterInfo("1", signing), [signing]],
    ["are those of both while one replaces the other", clusterInfo("1", next, signing), [signing, next]],
    ["are not those of a root that others share", clusterInfo("1", signing, shared), [signing]],
    [
      "are not guessed from words that are none",
      { ...clusterInfo("1"), data: { kubeconfig: "clusters: 7" } },
      [signing],
    ],
  ])("%s", (_, configMap, expected) => {
    expect(createClusterPins(() => configMap)(signing)).toEqual(expected.map(pin));
  });

  it("follow cluster-info", () => {
    let present = clusterInfo("1", signing, next);
    const pins = createClusterPins(() => present);
    expect(pins(signing)).toHaveLength(2);
    present = clusterInfo("2", signing);
    expect(pins(signing)).toHaveLength(1);
  });
});

describe("what evidence may call a cluster", () => {
  const pinsOf = createClusterPins(() => undefined);

  it("is the pin of its CA where nobody gave it an id", () => {
    expect(createClusterIds(pinsOf, [])(() => signing)).toEqual([pin(signing)]);
  });

  it("is what was given and nothing else: the pin is also the name of every cluster that shares the CA", () => {
    expect(createClusterIds(pinsOf, ["east"])(() => shared)).toEqual(["east"]);
    expect(createClusterIds(pinsOf, ["east"])(() => expect.unreachable("no CA is needed"))).toEqual(["east"]);
  });

  it("is the pin too where that was given, while nodes change over", () => {
    expect(createClusterIds(pinsOf, ["east", pin(signing)])(() => signing)).toEqual(["east", pin(signing)]);
  });
});
