import { describe, expect, it } from "vitest";
import { parseKubeconfig, selectContext } from "../../api/kubeconfig/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { execKubeconfig, fileKubeconfig } from "./kubeconfigs.ts";

const cluster = { server: "https://[::1]:6443", caPem: "-----BEGIN CERTIFICATE-----\n" };
const expectedCluster = {
  server: "https://[::1]:6443",
  "certificate-authority-data": encodeBase64(encodeUtf8(cluster.caPem)),
};

describe("the kubeconfigs of a joined node", () => {
  it("point, in the file form, both certificate and key at the current pair, as a kubelet does", () => {
    const path = "/var/lib/kubelet/pki/kubelet-client-current.pem";
    expect(selectContext(parseKubeconfig(fileKubeconfig(cluster, path)))).toEqual({
      cluster: expectedCluster,
      user: { "client-certificate": path, "client-key": path },
      namespace: "default",
    });
  });

  it("name, in the exec form, the plugin with all that client-go demands of version 1", () => {
    const text = execKubeconfig(cluster, { command: "kubelet-authenticator-insecure", args: ["--node-name=a"] });
    expect(selectContext(parseKubeconfig(text))).toMatchObject({
      cluster: expectedCluster,
      user: {
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: "kubelet-authenticator-insecure",
          args: ["--node-name=a"],
          interactiveMode: "Never",
          provideClusterInfo: true,
        },
      },
    });
  });
});
