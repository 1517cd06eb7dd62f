// The csr and policy commands against the embedded server. The tests write the verdict that a controller would write.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCsr, forNode } from "../../../../test/builders/csr.ts";
import { writeAdminKubeconfig } from "../../../../test/builders/kubeconfig-file.ts";
import { connectAdmin, startTestApiServer, type TestApiServer } from "../../../../test/fakes/api-server.ts";
import { aProcess } from "../../../../test/fakes/process-edge.ts";
import { type CertificateSigningRequest, VERDICT_ANNOTATION } from "../../../api/certificates/index.ts";
import { CSRS } from "../../../api/meta/index.ts";
import { CHALLENGE_ANNOTATION } from "../../../attestation/evidence/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import { countersign, runProgram } from "../../index.ts";

let server: TestApiServer;
let admin: KubeClient;
let directory: string;
beforeAll(async () => {
  server = await startTestApiServer();
  directory = await mkdtemp(join(tmpdir(), "countersign-csr-"));
  admin = connectAdmin(server);
  writeAdminKubeconfig(join(directory, "admin.conf"), server);
});
afterAll(async () => {
  await admin.close();
  await server.close();
  await rm(directory, { recursive: true });
});

async function run(...argv: string[]) {
  const { edge, written } = aProcess({ env: { KUBECONFIG: join(directory, "admin.conf") } });
  const exit = await runProgram(countersign, argv, edge);
  return { exit, ...written };
}

const REFUSAL = {
  verdict: "Deny",
  rule: "node-is-not-registered-yet",
  reason: "NodeIsRegistered",
  message: "node a is registered",
  trail: [
    { rule: "signer-is-served", outcome: "pass" },
    { rule: "node-is-not-registered-yet", outcome: "deny", note: "node a is registered" },
  ],
};

async function create(name: string, annotations: Record<string, string> = {}): Promise<CertificateSigningRequest> {
  const { apiVersion, kind, spec } = aCsr(forNode(name));
  const { request, signerName, usages } = spec;
  return await admin.create(CSRS, {
    apiVersion,
    kind,
    metadata: { name, annotations },
    spec: { request, signerName, usages },
  } as CertificateSigningRequest);
}

/** As the controller writes it: onto the object, when that is there. */
async function judge(name: string, verdict: object): Promise<void> {
  const { uid } = (await create(name)).metadata;
  const annotations = { [VERDICT_ANNOTATION]: JSON.stringify({ ...verdict, uid }) };
  await admin.patch(CSRS, { name, subresource: "approval" }, { metadata: { annotations } }, { type: "merge" });
}

const conditionsOf = async (name: string) =>
  (await admin.get<CertificateSigningRequest>(CSRS, { name })).status?.conditions ?? [];

describe("csr list and explain", () => {
  it("show each request with the reason of its state", async () => {
    await judge("listed", REFUSAL);
    const { exit, out } = await run("csr", "list");
    expect(exit).toBe(0);
    expect(out).toMatch(/^NAME\s+AGE\s+SIGNER\s+REQUESTER\s+CONDITION\s+VERDICT\s+REASON\n/);
    expect(out).toMatch(
      /listed\s+\d+s\s+kubernetes\.io\/kube-apiserver-client-kubelet\s+\S+\s+Pending\s+Deny\s+NodeIsRegistered/,
    );
    const json = JSON.parse((await run("csr", "list", "--pending", "-o", "json")).out);
    expect(json).toMatchObject([{ name: "listed", reason: "NodeIsRegistered", message: "node a is registered" }]);
  });

  it("explain one rule by rule, and say so when nobody has judged it", async () => {
    const { out } = await run("csr", "explain", "listed");
    expect(out).toContain("verdict     DENY   node-is-not-registered-yet   NodeIsRegistered");
    await create("unjudged");
    const unjudged = "verdict     none recorded yet; see its Events (kubectl describe csr unjudged)\n";
    expect((await run("csr", "explain", "unjudged")).out).toContain(unjudged);
    await run("csr", "approve", "unjudged");
    expect((await run("csr", "explain", "unjudged")).out).toContain("none recorded: no controller of ours");
  });

  it("say of a hello that was challenged whom it waits for, until it is decided", async () => {
    await create("challenged", { [CHALLENGE_ANNOTATION]: "AAAA" });
    const words = "verdict     challenged; waits for the machine's proof\n";
    expect((await run("csr", "explain", "challenged")).out).toContain(words);
    await run("csr", "deny", "challenged");
    expect((await run("csr", "explain", "challenged")).out).not.toContain(words);
  });

  it("do not let a forged annotation steer the terminal", async () => {
    await judge("forged", { ...REFUSAL, message: "\u001b[2J" });
    const { out } = await run("csr", "explain", "forged");
    expect(out).toContain("DENY");
    expect(out).not.toContain("\u001b");
  });

  it("do not show as a verdict what the requester sent along", async () => {
    const praise = JSON.stringify({ ...REFUSAL, verdict: "Allow", message: "all rules hold" });
    await create("praised", { [VERDICT_ANNOTATION]: praise });
    expect((await run("csr", "explain", "praised")).out).toContain("none recorded");
    expect((await run("csr", "list")).out).not.toContain("Allow");
    // That of another request does not fit either, though it was true there.
    const listed = await admin.get<CertificateSigningRequest>(CSRS, { name: "listed" });
    await create("copied", listed.metadata.annotations);
    expect((await run("csr", "explain", "copied")).out).toContain("none recorded");
  });
});

describe("csr approve and deny", () => {
  it("decide by hand, with the reason on the object, once", async () => {
    await Promise.all([create("yes"), create("no")]);
    expect(await run("csr", "approve", "yes", "--message", "known to me")).toMatchObject({
      exit: 0,
      out: "yes   approved\n",
    });
    expect(await conditionsOf("yes")).toMatchObject([
      { type: "Approved", reason: "CountersignApprove", message: "known to me" },
    ]);
    expect(await run("csr", "approve", "yes")).toMatchObject({ exit: 0 });
    expect(await run("csr", "deny", "no")).toMatchObject({ exit: 0 });
    expect(await conditionsOf("no")).toMatchObject([{ type: "Denied", reason: "CountersignDeny" }]);
  });

  it("refuse to take a decision back", async () => {
    const { exit, err } = await run("csr", "approve", "no");
    expect(exit).not.toBe(0);
    expect(err).toContain("already denied");
  });

  it("say what they did as JSON, also about those before one that cannot be decided", async () => {
    await Promise.all([create("json-1"), create("json-2")]);
    const first = await run("csr", "approve", "json-1", "-o", "json");
    expect([first.exit, JSON.parse(first.out)]).toEqual([0, [{ name: "json-1", decision: "Approved", isNew: true }]]);
    const second = await run("csr", "deny", "json-2", "json-1", "-o", "json");
    expect([second.exit === 0, JSON.parse(second.out)]).toEqual([
      false,
      [{ name: "json-2", decision: "Denied", isNew: true }],
    ]);
    const again = await run("csr", "deny", "json-2", "-o", "json");
    expect([again.exit, JSON.parse(again.out)]).toEqual([0, [{ name: "json-2", decision: "Denied", isNew: false }]]);
  });

  it("want to be told twice before they approve what a rule has refused", async () => {
    await judge("refused", REFUSAL);
    const first = await run("csr", "approve", "refused");
    expect(first.exit).toBe(77);
    expect(first.err).toContain("--anyway");
    expect(await run("csr", "approve", "refused", "--anyway")).toMatchObject({ exit: 0 });
  });
});

describe("policy test", () => {
  const policy = (spec: object) =>
    JSON.stringify({ apiVersion: "countersign.dev/v1alpha1", kind: "JoinPolicy", metadata: { name: "new" }, spec });

  async function file(name: string, text: string): Promise<string> {
    const path = join(directory, name);
    await writeFile(path, text);
    return path;
  }

  it("shows what would change, in the live cluster, and writes nothing", async () => {
    const before = (await admin.list(CSRS)).metadata.resourceVersion;
    const path = await file("p.json", policy({ mode: "Enforce" }));
    const { exit, out } = await run("policy", "test", path, "--against", "live");
    expect(exit).toBe(0);
    expect(out).toMatch(/yes {3}by \S+ {3}Allow -> Deny {3}requester-may-ask {3}RequesterIsNeitherTokenNorNode/);
    expect(out).toMatch(/\d+ requests judged, \d+ would change\n$/);
    expect((await admin.list(CSRS)).metadata.resourceVersion).toBe(before);
  });

  it("judges requests of a file, each as it was when it was made", async () => {
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString().replace(".000Z", "Z");
    const approved = { conditions: [{ type: "Approved", status: "True", reason: "AutoApproved", message: "" }] };
    const csr = (name: string, second: number, status: object = {}) => {
      const made = aCsr(forNode("worker-3"));
      return { ...made, metadata: { ...made.metadata, name, creationTimestamp: at(second) }, status };
    };
    const machine = {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "Machine",
      metadata: { name: "m", namespace: "n", uid: "m", creationTimestamp: at(0) },
      spec: { clusterName: "c", bootstrap: { dataSecretName: "s" } },
      status: { addresses: [{ type: "Hostname", address: "worker-3" }] },
    };
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "worker-3", uid: "n", creationTimestamp: at(20) },
    };
    const items = [csr("first", 10, approved), csr("impostor", 30, approved), machine, node];
    const against = await file("cluster.json", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const path = await file("m.json", policy({ mode: "Enforce", client: { admit: "Machine" } }));
    const rows = JSON.parse((await run("policy", "test", path, "--against", against, "--all", "-o", "json")).out);
    expect(rows).toMatchObject([
      { name: "first", before: "Allow", after: "Allow", isChange: false },
      { name: "impostor", before: "Allow", after: "Deny", reason: "NodeIsRegistered", isChange: true },
    ]);
    const elsewhere = ["--against", against, "--all", "-o", "json", "--cluster-name", "n/other"];
    expect(JSON.parse((await run("policy", "test", path, ...elsewhere)).out)).toMatchObject([
      { name: "first", after: "Wait", reason: "MachineIsUnknown" },
      { name: "impostor", after: "Deny" },
    ]);
  });

  it("does not call it a change that nobody looks at evidence here", async () => {
    const evidence = "-----BEGIN ATTESTATION EVIDENCE-----\nAAAA\n-----END ATTESTATION EVIDENCE-----\n";
    const made = aCsr(forNode("worker-4"), () => ({ wrap: (pem) => pem + evidence }));
    const status = { conditions: [{ type: "Approved", status: "True", reason: "Attested", message: "" }] };
    const signerName = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";
    const items = [{ ...made, spec: { ...made.spec, signerName }, status }];
    const against = await file("attested.json", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const path = await file("e.json", policy({ mode: "Enforce" }));
    const { out } = await run("policy", "test", path, "--against", against);
    expect(out).toBe(
      "1 requests judged, 0 would change\n1 of them only as far as their evidence, which a running controller looks at\n",
    );
  });

  it("wants to know which cluster is meant where the Machines are in another one, and reads them there", async () => {
    const path = await file("m2.json", policy({ mode: "Enforce", client: { admit: "Machine" } }));
    const management = ["--management-kubeconfig", join(directory, "admin.conf")];
    const unnamed = await run("policy", "test", path, ...management);
    expect([unnamed.exit === 0, unnamed.err]).toEqual([false, expect.stringContaining("--cluster-name is missing")]);
    expect(await run("policy", "test", path, ...management, "--cluster-name", "n/c")).toMatchObject({ exit: 0 });
  });

  it("names the mistake in a policy before anything else", async () => {
    const { exit, err } = await run(
      "policy",
      "test",
      await file("bad.json", policy({ mode: "Maybe" })),
      "--against",
      "live",
    );
    expect(exit).toBe(65);
    expect(err).toContain("spec.mode");
  });
});
