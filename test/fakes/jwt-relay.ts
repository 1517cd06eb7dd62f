// The man in the middle of discovery who does not know the token. He ends the joining machine's TLS with a CA of his
// own, shows the JWT that the machine sends him to the true cluster, and has an object signed that a tenant wrote: a
// custom resource of kind Config that reads like a kubeconfig and names his own CA. He then answers as a plain
// kube-apiserver does: 401 to the JWT, and to strangers a cluster-info whose kubeconfig is the tenant's object and
// whose signature is the one just made.

import type { IncomingMessage, ServerResponse } from "node:http";
import { JWS_HEADER } from "../../src/api/bootstrap/index.ts";
import { bearerOf } from "../builders/discovery.ts";
import { aTestCa } from "../builders/tls-pair.ts";
import { patient } from "../patience.ts";
import { type ApiEndpoint, callApi, type Received } from "./api-client.ts";
import { answerJson, startTestServer } from "./https-server.ts";
import { type RecordingProxy, startRecordingProxy } from "./recording-proxy.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const ROLES = "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-public";
export const TENANT_CONFIGS = "/apis/tenant.example/v1/namespaces/kube-public/configs";
const TENANT_OBJECT = `${TENANT_CONFIGS}/cluster-info`;

export interface JwtRelay {
  /** Where the machine is told to join. */
  readonly url: string;
  /** What the true cluster said to each JWT that was relayed. */
  readonly relayed: readonly Received[];
  /** Every byte that the machine sent. */
  recorded(): Buffer;
  close(): Promise<void>;
}

export async function startJwtRelay(cluster: ApiEndpoint, tokenId: string): Promise<JwtRelay> {
  const ca = aTestCa("relay-ca");
  const relayed: Received[] = [];
  const server = await startTestServer((request, response) => void answer(request, response), ca);
  const proxy: RecordingProxy = await startRecordingProxy(server.url, ca.issueServing());
  await writeTenantObjects(cluster, { url: proxy.url, caPem: ca.certPem });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const jwt = bearerOf(request);
    if (jwt?.startsWith("eyJ") === true) {
      relayed.push(await callApi(cluster, { path: TENANT_OBJECT, as: { token: jwt } }));
      return answerJson(response, 401, { kind: "Status", apiVersion: "v1", status: "Failure", code: 401 });
    }
    const last = relayed.at(-1);
    answerJson(response, 200, {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "cluster-info", namespace: "kube-public" },
      data: { kubeconfig: last?.text, [`jws-kubeconfig-${tokenId}`]: String(last?.headers[JWS_HEADER] ?? "a..b") },
    });
  }
  return {
    url: proxy.url,
    relayed,
    recorded: () => proxy.recorded(),
    close: async () => {
      await proxy.close();
      await server.close();
    },
  };
}

/** What a tenant with a namespaced role and a definition of his own may write; everybody who is known may read it. */
async function writeTenantObjects(cluster: ApiEndpoint, { url, caPem }: { url: string; caPem: string }): Promise<void> {
  const create = async (path: string, body: unknown) => {
    const { status, text } = await callApi(cluster, { method: "POST", path, body });
    if (status !== 201 && status !== 409) throw new Error(`${path}: ${text}`);
  };
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  await create(DEFINITIONS, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "configs.tenant.example" },
    spec: {
      group: "tenant.example",
      scope: "Namespaced",
      names: { plural: "configs", singular: "config", kind: "Config", listKind: "ConfigList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: open } }],
    },
  });
  const api = "rbac.authorization.k8s.io";
  const metadata = { name: "tenant-reads-configs", namespace: "kube-public" };
  const rules = [{ apiGroups: ["tenant.example"], resources: ["configs"], verbs: ["get"] }];
  await create(`${ROLES}/roles`, { metadata, rules });
  const subjects = [{ kind: "Group", apiGroup: api, name: "system:authenticated" }];
  await create(`${ROLES}/rolebindings`, {
    metadata,
    roleRef: { apiGroup: api, kind: "Role", name: metadata.name },
    subjects,
  });
  const entry = { server: url, "certificate-authority-data": Buffer.from(caPem).toString("base64") };
  const object = {
    apiVersion: "tenant.example/v1",
    kind: "Config",
    metadata: { name: "cluster-info", namespace: "kube-public" },
    clusters: [{ name: "", cluster: entry }],
  };
  await untilServed(() => create(TENANT_CONFIGS, object));
}

/** A new definition is served a moment after it was written. */
async function untilServed(create: () => Promise<void>): Promise<void> {
  for (let left = patient(100); ; left--) {
    try {
      return await create();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
