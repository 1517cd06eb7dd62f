// The same requests judged and signed by kube-controller-manager and by our controller, each on a real kube-apiserver
// of its own: the same conditions and the same certificates, but where ours is stricter on purpose. Every such
// difference is a rule with a name, and with the rule switched off there is no difference.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CertificateSigningRequest,
  type CsrCondition,
  VERDICT_ANNOTATION,
} from "../../src/api/certificates/index.ts";
import { CSRS } from "../../src/api/meta/index.ts";
import { createController, parseVerdict } from "../../src/controller/index.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import { createKubeClient, type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { silentLog } from "../../src/platform/report/index.ts";
import { aClientCertificate } from "../builders/client-certificate.ts";
import { aCsr, forNode } from "../builders/csr.ts";
import { type Asker, type Case, corpus } from "./corpus/cases.ts";
import { isDone, outcomeOf } from "./corpus/outcome.ts";
import {
  type ControlPlane,
  KUBELET_CSR_CONTROLLERS,
  logInAsController,
  startControlPlane,
  waitFor,
} from "./harness/index.ts";

const cases = corpus();
/** Of one request, in both clusters. */
const prepared = cases.map((one, index) => ({ ...one, csrName: `case-${index}`, spec: aCsr(...one.modifiers).spec }));
type Prepared = (typeof prepared)[number];

interface Side {
  readonly plane: ControlPlane;
  readonly as: Readonly<Record<Asker, KubeClient>>;
}

let theirs: Side;
let ours: Side;
const stops: (() => Promise<void>)[] = [];

async function sideOf(plane: ControlPlane): Promise<Side> {
  const connect = (user: string, groups: readonly string[]) => {
    const credentials = aClientCertificate(plane, { user, groups });
    return createKubeClient({ server: plane.url, caPem: plane.caPem, credentials: () => credentials });
  };
  const token = await plane.createBootstrapToken();
  const as = {
    token: createKubeClient({ server: plane.url, caPem: plane.caPem, credentials: () => ({ token }) }),
    node: connect("system:node:renewing", ["system:nodes"]),
    admin: await loadKubeconfigClient(plane.adminKubeconfigPath),
    stranger: connect("stranger", ["system:bootstrappers:none"]),
  };
  await plane.kubectl([
    "create",
    "clusterrolebinding",
    "stranger",
    "--clusterrole=system:node-bootstrapper",
    "--user=stranger",
  ]);
  stops.push(async () => void (await Promise.all(Object.values(as).map((client) => client.close()))));
  return { plane, as };
}

async function startOurs(plane: ControlPlane, disabledRules: readonly string[]): Promise<() => Promise<void>> {
  const client = await loadKubeconfigClient(await logInAsController(plane));
  const controller = createController({
    client,
    ca: { certPem: plane.caPem, keyPem: plane.caKeyPem },
    clock: systemClock,
    random: randomBytes,
    log: silentLog,
    replica: "corpus",
    disabledRules,
  });
  const abort = new AbortController();
  const running = controller.run(abort.signal);
  await controller.waitUntilReady(AbortSignal.timeout(30_000));
  return async () => {
    abort.abort();
    await running;
    await client.close();
  };
}

/** Sends all, approves by hand what is to be, and waits until the last word on each is spoken. */
async function settle({ as }: Side, sent: readonly Prepared[]): Promise<ReadonlyMap<string, object>> {
  const refused = new Map<string, object>();
  for (const group of chunks(sent, 20)) await Promise.all(group.map((one) => send(as, one, refused)));
  const sentinel = await as.token.create<CertificateSigningRequest>(
    CSRS,
    objectOf(aCsr(forNode(`sentinel-${sent[0]?.csrName}`)).spec, `sentinel-${sent[0]?.csrName}`),
  );
  const list = async () => (await as.admin.list<CertificateSigningRequest>(CSRS)).items;
  await waitFor({
    what: "every request to be settled",
    limitMs: 120_000,
    everyMs: 250,
    probe: async () => {
      const items = await list();
      const last = items.find(({ metadata }) => metadata.name === sentinel.metadata.name);
      return last?.status?.certificate !== undefined && items.every(isDone) ? true : undefined;
    },
  });
  // A decision that is wrongly on its way would be here by now.
  await systemClock.sleep(2_000);
  const found = new Map((await list()).map((csr) => [csr.metadata.name ?? "", outcomeOf(csr)]));
  return new Map(sent.map(({ csrName }) => [csrName, refused.get(csrName) ?? found.get(csrName) ?? {}]));
}

function objectOf(spec: CertificateSigningRequest["spec"], name: string): CertificateSigningRequest {
  const { request, signerName, usages, expirationSeconds } = spec;
  const wish = expirationSeconds === undefined ? {} : { expirationSeconds };
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    spec: { request, signerName, usages, ...wish },
  };
}

async function send(
  as: Side["as"],
  { csrName, spec, asker, byHand }: Prepared,
  refused: Map<string, object>,
): Promise<void> {
  try {
    const created = await as[asker].create(CSRS, objectOf(spec, csrName));
    if (byHand) await approve(as.admin, created);
  } catch (error) {
    if (!isFault(error)) throw error;
    refused.set(csrName, { refused: error.code });
  }
}

async function approve(admin: KubeClient, csr: CertificateSigningRequest): Promise<void> {
  const condition: CsrCondition = { type: "Approved", status: "True", reason: "ByHand", message: "by hand" };
  const target = { name: csr.metadata.name ?? "", subresource: "approval" };
  await admin.patch(CSRS, target, { status: { conditions: [condition] } }, { type: "merge" });
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

const isStricter = (one: Case) => one.stricter !== undefined;

describe("the same requests by kube-controller-manager and by ours", () => {
  let theirOutcomes: ReadonlyMap<string, object>;
  let ourOutcomes: ReadonlyMap<string, object>;
  let stopOurs: () => Promise<void>;

  beforeAll(async () => {
    const manager = {
      controllers: KUBELET_CSR_CONTROLLERS,
      controllerManagerFlags: ["--kube-api-qps=1000", "--kube-api-burst=1000"],
    };
    const planes = await Promise.all([
      startControlPlane({ ...manager, keyAlgorithm: "ECDSA-P256" }),
      startControlPlane({ keyAlgorithm: "ECDSA-P256" }),
    ]);
    stops.push(...planes.map((plane) => plane.stop));
    [theirs, ours] = (await Promise.all(planes.map(sideOf))) as [Side, Side];
    stopOurs = await startOurs(ours.plane, []);
    [theirOutcomes, ourOutcomes] = await Promise.all([settle(theirs, prepared), settle(ours, prepared)]);
  });
  afterAll(async () => {
    await stopOurs?.();
    for (const stop of stops.reverse()) await stop();
  });

  it("is a corpus of several hundred, of which a good part is approved, failed and left", () => {
    expect(prepared.length).toBeGreaterThan(300);
    const all = [...theirOutcomes.values()].map((outcome) => JSON.stringify(outcome));
    for (const word of ['"AutoApproved"', '"SignerValidationFailure"', '"conditions":[]', '"refused"']) {
      expect(all.filter((text) => text.includes(word)).length, word).toBeGreaterThan(3);
    }
  });

  it("comes to the same conditions and certificates", () => {
    const same = prepared.filter((one) => !isStricter(one));
    for (const { csrName, name } of same) expect(ourOutcomes.get(csrName), name).toEqual(theirOutcomes.get(csrName));
  });

  it("is stricter where it says so, by a rule that names itself", async () => {
    const stricter = prepared.filter(isStricter);
    expect(stricter.length).toBeGreaterThan(10);
    for (const { csrName, name, stricter: rule } of stricter) {
      expect(theirOutcomes.get(csrName), name).toMatchObject({ conditions: [{ type: "Approved" }], certificate: {} });
      const csr = await ours.as.admin.get<CertificateSigningRequest>(CSRS, { name: csrName });
      expect(csr.status?.conditions ?? [], name).toEqual([]);
      expect(parseVerdict(csr.metadata.annotations?.[VERDICT_ANNOTATION] ?? ""), name).toMatchObject({
        verdict: "Deny",
        rule,
      });
    }
  });

  it("decides the same as kube-controller-manager where those rules are switched off", async () => {
    await stopOurs();
    const rules = [...new Set(prepared.flatMap(({ stricter }) => stricter ?? []))];
    stopOurs = await startOurs(ours.plane, rules);
    const again = prepared.filter(isStricter).map((one) => ({ ...one, csrName: `again-${one.csrName}` }));
    const outcomes = await settle(ours, again);
    for (const { csrName, name } of again) {
      const before = theirOutcomes.get(csrName.replace("again-", "")) as { conditions: object };
      expect(outcomes.get(csrName), name).toMatchObject({ conditions: before.conditions, certificate: {} });
    }
  });
});
