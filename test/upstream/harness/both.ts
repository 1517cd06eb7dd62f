// The embedded API server and a real one side by side: the same request goes to both, and what they answer is made
// comparable.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aClientCertificate } from "../../builders/client-certificate.ts";
import { writeAdminKubeconfig } from "../../builders/kubeconfig-file.ts";
import { type ApiEndpoint, asRoot, callApi, type Received, type Sent } from "../../fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../fakes/api-server.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { runKubectlOk } from "./kubectl.ts";

type Caller = NonNullable<Sent["as"]>;

export interface Side extends ApiEndpoint {
  readonly as: Readonly<Record<string, Caller>>;
}

/** Who asks, what, with which body and headers. */
export type Row = readonly [who: string, request: string, body?: unknown, headers?: Readonly<Record<string, string>>];

export interface Both {
  readonly embedded: TestApiServer;
  readonly real: ControlPlane;
  readonly ours: Side;
  readonly theirs: Side;
  ask(row: Row): Promise<readonly [ours: Received, theirs: Received]>;
  /** What kubectl prints for the administrator of each. */
  kubectl(args: readonly string[]): Promise<readonly [ours: string, theirs: string]>;
  stop(): Promise<void>;
}

export async function startBoth(): Promise<Both> {
  const [embedded, real] = await Promise.all([startTestApiServer(), startControlPlane({ keyAlgorithm: "ECDSA-P256" })]);
  const [ours, theirs] = [side(embedded), side(real)];
  const dir = await mkdtemp(join(tmpdir(), "both-"));
  const print = async (one: Side, name: string, args: readonly string[]) => {
    const kubeconfig = writeAdminKubeconfig(join(dir, name), { ...one, url: `https://127.0.0.1:${one.port}` });
    // Each keeps what it has discovered: their ports tell them apart, but not after a port is used again.
    return (await runKubectlOk(args, { kubeconfig, homeDir: join(dir, `${name}-home`) })).stdout;
  };
  return {
    embedded,
    real,
    ours,
    theirs,
    ask: (row) => Promise.all([send(ours, row), send(theirs, row)]),
    kubectl: (args) => Promise.all([print(ours, "ours", args), print(theirs, "theirs", args)]),
    stop: async () => {
      await Promise.all([embedded.close(), real.stop()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** With those who ask in most suites. */
export function side(server: { port: number; caPem: string; caKeyPem: string }): Side {
  const root = asRoot(server);
  return {
    ...root,
    as: {
      admin: { certPem: root.adminCertPem, keyPem: root.adminKeyPem },
      node: aClientCertificate(server, { user: "system:node:n1", groups: ["system:nodes"] }),
      jane: aClientCertificate(server, { user: "jane" }),
    },
  };
}

function send(to: Side, [who, request, body, headers = {}]: Row): Promise<Received> {
  const [method = "", path = ""] = request.split(" ");
  const typed = { ...(typeof body === "string" ? { "content-type": "application/json" } : {}), ...headers };
  const sent = { method, path, ...(body === undefined ? {} : { body }) };
  return callApi(to, { ...sent, headers: typed, as: to.as[who] ?? "anonymous" });
}

/** Of one server only, or different at every run. */
const IGNORED: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "lastTransitionTime",
  "lastPhaseTransitionTime",
  "lastUpdateTime",
  "description",
  "managedFields",
]);

const SUFFIX = /(kube-api-access-)[a-z0-9]{5}/g;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === "string") return value.replace(SUFFIX, "$1<suffix>").replace(UUID, "<uid>");
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !IGNORED.has(key));
  const made = Object.fromEntries(kept.map(([key, inner]) => [key, comparable(inner)]));
  // A real server lists the custom kinds of a group in the order in which its informer's map hands them out.
  if (made["kind"] === "APIResourceList") made["resources"] = byName(made["resources"] as readonly Named[]);
  return made;
}

interface Named {
  readonly name: string;
}

function byName(resources: readonly Named[]): readonly Named[] {
  return [...resources].sort((a, b) => (a.name < b.name ? -1 : 1));
}
