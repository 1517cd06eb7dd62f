import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aNodeCa, type NodeCertificateTemplate } from "../../../test/builders/node-ca.ts";
import { createManualClock, type ManualClock } from "../../../test/fakes/clock.ts";
import { answerJson, startTestServer, type TestServer } from "../../../test/fakes/https-server.ts";
import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { encodeBase64, encodeUtf8, parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { parsePem } from "../../kernel/pem/index.ts";
import { parseCertificateRequest } from "../../kernel/x509/index.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import { anonymous } from "../../platform/kube/connection/credentials.ts";
import { createKubeClient, type KubeClient } from "../../platform/kube/index.ts";
import { type RequestOptions, requestCertificate } from "./request.ts";

// The server here answers what an honest one would not, or not at that moment; join.test.ts has the honest way.

const ca = aNodeCa();
const key = generatePrivateKey("P-256").signer;

type Answer = (response: ServerResponse, body: CertificateSigningRequest | undefined) => void;

interface Script {
  create: Answer[];
  get: Answer[];
  watch: Answer[];
}

describe("a certificate request", () => {
  let server: TestServer;
  let client: KubeClient;
  let clock: ManualClock;
  let calls: string[] = [];

  beforeEach(async () => {
    server = await startTestServer((_request, response) => response.end());
    client = createKubeClient({ server: server.url, caPem: server.ca.certPem, credentials: anonymous });
    clock = createManualClock(Date.now());
    calls = [];
  });
  afterEach(async () => {
    await client.close();
    await server.close();
  });

  /** Each list is gone through once; its last answer is given again. */
  function play(script: Partial<Script>): void {
    server.handle(async (request: IncomingMessage, response) => {
      const verb = request.method === "POST" ? "create" : request.url?.includes("watch=true") ? "watch" : "get";
      calls.push(verb);
      const answers = script[verb] ?? [];
      const count = calls.filter((call) => call === verb).length;
      const body = await text(request);
      const answer = answers[Math.min(count, answers.length) - 1] ?? refuse(500, "InternalError");
      answer(response, body === "" ? undefined : JSON.parse(body));
    });
  }

  function request(options: Partial<RequestOptions> = {}) {
    const promise = requestCertificate({
      client,
      nodeName: "worker-1",
      key,
      signerName: "example.com/signer",
      roots: [ca.certificate],
      clock,
      limitMs: 60_000,
      ...options,
    });
    promise.catch(() => undefined);
    return promise;
  }

  async function failure(promise: Promise<unknown>) {
    const error = await promise.then(
      () => expect.fail("it should have failed"),
      (thrown: unknown) => thrown,
    );
    if (!isFault(error)) throw error;
    return error;
  }

  const refuse =
    (code: number, reason: string): Answer =>
    (response) =>
      answerJson(response, code, {
        kind: "Status",
        apiVersion: "v1",
        status: "Failure",
        code,
        reason,
        message: reason,
      });

  let posted: CertificateSigningRequest | undefined;
  const accept: Answer = (response, body) => {
    posted = body;
    answerJson(response, 201, asStored());
  };
  const asStored = (status: CertificateSigningRequest["status"] = {}, uid = "uid-1") => ({
    ...posted,
    metadata: { name: posted?.metadata.name, uid },
    status,
  });
  const issued = (template: Partial<NodeCertificateTemplate> = {}) => ({
    conditions: [{ type: "Approved", status: "True" as const }],
    certificate: encodeBase64(encodeUtf8(ca.signNode({ publicKey: key.publicKey, ...template }))),
  });
  const show =
    (status?: CertificateSigningRequest["status"], uid?: string): Answer =>
    (response) =>
      answerJson(response, 200, asStored(status, uid));
  const event = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;
  /** Ends the stream after the events, as a server does at the end of a watch's time. */
  const stream =
    (...events: (() => string)[]): Answer =>
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(events.map((make) => make()).join(""));
    };
  const added = (status?: CertificateSigningRequest["status"], uid?: string) => () =>
    event("ADDED", asStored(status, uid));

  it("is a plain PKCS#10 of the node's subject under kubelet's name", async () => {
    play({ create: [accept], watch: [stream(added(issued()))] });
    const certificate = await request();
    expect(parsePem(certificate)[0]?.label).toBe("CERTIFICATE");
    expect(posted).toMatchObject({
      metadata: { name: expect.stringMatching(/^node-csr-[\w-]{43}$/) },
      spec: { signerName: "example.com/signer", usages: ["digital signature", "client auth"] },
    });
    const blocks = parsePem(parseUtf8(parseBase64(posted?.spec.request ?? "")));
    expect(blocks.map(({ label }) => label)).toEqual(["CERTIFICATE REQUEST"]);
    const { subject, subjectAltNames } = parseCertificateRequest(blocks[0]?.bytes ?? new Uint8Array());
    expect([subject.commonName, subject.organizations, subjectAltNames]).toEqual([
      "system:node:worker-1",
      ["system:nodes"],
      undefined,
    ]);
  });

  it("is sent as the provider made it, where it has evidence", async () => {
    play({ create: [accept], watch: [stream(added(issued()))] });
    const attested = { name: "countersign-single-x", signerName: "example.com/signer", usages: ["client auth"] };
    await request({ attested: { ...attested, request: Uint8Array.of(1, 2, 3) } });
    expect(posted).toMatchObject({
      metadata: { name: "countersign-single-x" },
      spec: { request: "AQID", signerName: "example.com/signer", usages: ["client auth"] },
    });
  });

  it("is found again after a restart instead of being filed twice", async () => {
    play({ create: [accept, refuse(409, "AlreadyExists")], get: [show()], watch: [stream(added(issued()))] });
    await request();
    const seen: boolean[] = [];
    await request({ onRequested: (_name, reused) => seen.push(reused) });
    expect(seen).toEqual([true]);
  });

  it("is tried again while the server is away", async () => {
    play({ create: [refuse(503, "ServiceUnavailable"), accept], watch: [stream(added(issued()))] });
    const promise = request();
    await clock.untilSleeping(2);
    await clock.advance(2_000);
    await expect(promise).resolves.toContain("BEGIN CERTIFICATE");
  });

  it("is polled where streaming lists are not served", async () => {
    play({ create: [accept], watch: [refuse(422, "Invalid")], get: [show(), show(issued())] });
    const promise = request();
    await clock.untilSleeping(2);
    await clock.advance(2_000);
    await expect(promise).resolves.toContain("BEGIN CERTIFICATE");
    expect(calls.filter((call) => call === "get")).toHaveLength(2);
  });

  it("is watched again when the watch breaks, and nothing is lost", async () => {
    const broken: Answer = (response) => {
      response.writeHead(200).write(added()().slice(0, 40));
      setImmediate(() => response.destroy());
    };
    play({ create: [accept], watch: [broken, stream(added(issued()))], get: [refuse(503, "ServiceUnavailable")] });
    const promise = request();
    await clock.untilSleeping(2);
    await clock.advance(2_000);
    await expect(promise).resolves.toContain("BEGIN CERTIFICATE");
  });

  it("ends at its limit with the reason why it is still pending", async () => {
    const verdict = JSON.stringify({ rule: "machine-exists", reason: "NoMachine", message: "no Machine worker-1" });
    const pending = () => {
      const csr = asStored();
      return event("ADDED", {
        ...csr,
        metadata: { ...csr.metadata, annotations: { "countersign.dev/verdict": verdict } },
      });
    };
    play({ create: [accept], watch: [stream(pending)], get: [refuse(503, "ServiceUnavailable")] });
    const promise = request({ limitMs: 1_000 });
    await clock.untilSleeping(2);
    await clock.advance(1_000);
    expect(await failure(promise)).toMatchObject({
      code: "timeout",
      message: "no certificate after 1 s: machine-exists: no Machine worker-1",
    });
  });

  it("stops when it is told to", async () => {
    const stop = new AbortController();
    play({ create: [accept], watch: [refuse(422, "Invalid")], get: [show()] });
    const promise = request({ signal: stop.signal });
    await clock.untilSleeping(2);
    stop.abort();
    expect((await failure(promise)).code).toBe("aborted");
  });

  const denied = { conditions: [{ type: "Denied", status: "True" as const, reason: "Taken", message: "not yours" }] };
  const failed = { conditions: [{ type: "Failed", status: "True" as const, reason: "Broken", message: "bad usages" }] };
  const end = { "k8s.io/initial-events-end": "true" };
  const bookmark = () => event("BOOKMARK", { kind: "CertificateSigningRequest", metadata: { annotations: end } });
  const endings: Record<string, [Partial<Script>, object]> = {
    "denied, with reason and message": [
      { watch: [stream(added(denied))] },
      { code: "denied", detail: { reason: "Taken", message: "not yours" } },
    ],
    "failed, with reason and message": [
      { watch: [stream(added(failed))] },
      { code: "failed-request", message: expect.stringContaining("Broken: bad usages") },
    ],
    "deleted under our eyes": [
      { watch: [stream(added(), () => event("DELETED", asStored()))] },
      { code: "failed-request", message: expect.stringContaining("was deleted") },
    ],
    "deleted before the watch began": [
      { watch: [stream(bookmark)] },
      { code: "failed-request", message: expect.stringContaining("was deleted") },
    ],
    "deleted, as a poll finds out": [
      { watch: [refuse(422, "Invalid")], get: [refuse(404, "NotFound")] },
      { code: "failed-request", message: expect.stringContaining("was deleted") },
    ],
    "replaced by another of the same name": [
      { watch: [stream(added(issued(), "uid-2"))] },
      { code: "failed-request", message: expect.stringContaining("by somebody else") },
    ],
    "without rights any more": [{ watch: [refuse(401, "Unauthorized")] }, { code: "unauthorized" }],
    "answered for another key": [
      { watch: [stream(added(issued({ publicKey: generatePrivateKey("P-256").signer.publicKey })))] },
      { code: "untrusted", detail: { check: "certificate-is-for-our-key" } },
    ],
    "answered for another node": [
      { watch: [stream(added(issued({ nodeName: "worker-2" })))] },
      { code: "untrusted", detail: { check: "subject-is-our-node" } },
    ],
    "answered with an expired certificate": [
      { watch: [stream(added(issued({ notAfterMs: Date.now() - 60_000 })))] },
      { code: "untrusted", detail: { check: "certificate-is-in-force" } },
    ],
  };
  for (const [sentence, [script, expected]] of Object.entries(endings)) {
    it(`ends with its own fault when it is ${sentence}`, async () => {
      play({ create: [accept], ...script });
      expect(await failure(request())).toMatchObject(expected);
    });
  }

  it("is not taken from somebody who holds its name with another key", async () => {
    play({ create: [accept], watch: [stream(added(denied))] });
    await failure(request({ key: generatePrivateKey("P-256").signer }));
    play({ create: [refuse(409, "AlreadyExists")], get: [show(issued())] });
    expect(await failure(request())).toMatchObject({ code: "already-exists", detail: { reason: "OtherKey" } });
  });
});
