// The exchange with an API server of a few lines, told by each test what becomes of a request. On the embedded one,
// with crashes in between: src/node/certificates/attested/attested.test.ts.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Fault } from "../../kernel/outcome/index.ts";
import { draftRequest, type FinishedRequest, finishRequest, type Protocol } from "../evidence/index.ts";
import type { RequestInput } from "../provider.ts";
import type { FoundRequest } from "./plan.ts";
import { type CertificateRequests, type ExchangeOptions, runExchange } from "./run.ts";
import { loadExchange } from "./state.ts";

const statement: RequestInput["statement"] = {
  ...{ intent: "renew", purpose: "client", node: "worker-1", providerId: "example:///1", cluster: "test" },
  ...{ signer: "cluster.x-k8s.io/kube-apiserver-client-kubelet-example", offered: ["example/2", "example/1"] },
};
const body = { kind: "installed", value: {} } as const;
const speak = (version: number): Protocol => ({ provider: "example", version });
const single = async (input: RequestInput) => finishRequest(draftRequest({ ...input, step: "single" }), { body });

type Outcome = Partial<Extract<FoundRequest, { kind: "Found" }>> & { supportedVersions?: string };
const denied = (reason: string): Outcome => ({ denied: { reason, message: "no" } });
const CHALLENGE: Outcome = { challenge: "a challenge" };
const SIGNED: Outcome = { certificate: "a certificate" };

describe("an exchange as it runs", () => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "exchange-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const path = () => join(directory, "exchange");

  /** Every request that is created has the next of these outcomes; `created` is what there was, as `hello/2`. */
  function anApi(...outcomes: readonly Outcome[]) {
    const created: string[] = [];
    const objects = new Map<string, Outcome>();
    const requests: CertificateRequests = {
      create: async ({ name }) => {
        objects.set(name, outcomes[created.length] ?? {});
        created.push(name.split("-")[1] ?? "");
        return { uid: `uid of ${name}` };
      },
      find: async ({ name }) => ({
        ...{ kind: "Found", isOurs: true, denied: undefined, challenge: undefined, certificate: undefined },
        ...objects.get(name),
      }),
      untilChanged: async () => Promise.reject(new Fault("aborted", "nobody changes it")),
    };
    return { created, requests };
  }

  function run(requests: CertificateRequests, more: Partial<ExchangeOptions> & { fail?: () => void } = {}) {
    const { fail = () => undefined, ...options } = more;
    return runExchange({
      requests,
      path: path(),
      input: { statement },
      protocols: [speak(2), speak(1)],
      prover: {
        hello: async (input) => finishRequest(draftRequest({ ...input, step: "hello" }), { body }),
        proof: async (input, { name, uid }) => {
          fail();
          return finishRequest(draftRequest({ ...input, step: "proof" }), { body, hello: { name, uid } });
        },
      },
      ...options,
    });
  }

  /** Throws the first time that it is called. */
  function onceUntrusted(): () => void {
    let calls = 0;
    return () => {
      calls += 1;
      if (calls === 1) throw new Fault("untrusted", "the credential does not open");
    };
  }

  it("takes the full way again after a credential that did not open, though the cluster offers the short one", async () => {
    const { created, requests } = anApi(denied("BeaconExpired"), CHALLENGE, CHALLENGE, SIGNED);
    await run(requests, { renewInOne: single, fail: onceUntrusted() });
    expect(created).toEqual(["single", "hello", "hello", "proof"]);
  });

  it("gives up after the third credential that does not open", async () => {
    const { created, requests } = anApi(CHALLENGE, CHALLENGE, CHALLENGE, CHALLENGE);
    const fail = () => {
      throw new Fault("untrusted", "the credential does not open");
    };
    await expect(run(requests, { fail })).rejects.toMatchObject({
      code: "untrusted",
      message: "ActivationFailed: the credential does not open",
      detail: { next: "back-off" },
    });
    expect([created, await loadExchange(path())]).toEqual([["hello", "hello", "hello"], undefined]);
  });

  const SPENT = denied("ChallengeExpired");
  const OTHER_VERSION: Outcome = { ...denied("VersionUnsupported"), supportedVersions: '["example/1"]' };
  const ONCE: Readonly<Record<string, [outcomes: readonly Outcome[], created: readonly string[], fail?: () => void]>> =
    {
      "and then is spent": [
        [CHALLENGE, SPENT, CHALLENGE, SPENT],
        ["hello", "proof", "hello", "proof"],
      ],
      "and then is of another version": [
        [CHALLENGE, SPENT, OTHER_VERSION, CHALLENGE, SPENT],
        ["hello", "proof", "hello", "hello", "proof"],
      ],
    };
  it.each(Object.entries(ONCE))(
    "begins once anew for a challenge that was spent, %s",
    async (_, [outcomes, expected]) => {
      const { created, requests } = anApi(...outcomes);
      await expect(run(requests)).rejects.toMatchObject({ code: "denied", detail: { reason: "ChallengeExpired" } });
      expect(created).toEqual(expected);
    },
  );

  it("begins once anew for a challenge that was spent, and then cannot be opened at first", async () => {
    const { created, requests } = anApi(CHALLENGE, SPENT, CHALLENGE, CHALLENGE, SPENT);
    let proofs = 0;
    const fail = () => {
      proofs += 1;
      if (proofs === 2) throw new Fault("untrusted", "the credential does not open");
    };
    await expect(run(requests, { fail })).rejects.toMatchObject({ detail: { reason: "ChallengeExpired" } });
    expect(created).toEqual(["hello", "proof", "hello", "hello", "proof"]);
  });

  /** Its name is in the way: a request that was sent before a crash, or one of somebody else. */
  const inTheWay = (requests: CertificateRequests, found: FoundRequest & { uid?: string }): CertificateRequests => {
    const taken = new Set<string>();
    return {
      ...requests,
      create: async (request: FinishedRequest) => {
        const created = await requests.create(request);
        if (!request.name.includes("hello")) return created;
        taken.add(request.name);
        return undefined;
      },
      find: async (request) => {
        const was = taken.delete(request.name);
        return was ? found : requests.find(request);
      },
    };
  };
  const there = { kind: "Found", denied: undefined, challenge: undefined, certificate: undefined } as const;

  it("adopts a hello that is there already and is its own", async () => {
    const { created, requests } = anApi(CHALLENGE, SIGNED);
    await run(inTheWay(requests, { ...there, isOurs: true, uid: "found" }));
    expect((await loadExchange(path()))?.hello?.uid).toBe("found");
    expect(created).toEqual(["hello", "proof"]);
  });

  it.each([
    ["another's", { ...there, isOurs: false, uid: "other" }, "conflict"],
    ["gone in the same moment", { kind: "Gone" } as const, "expired"],
  ])("drops all where what is there already is %s", async (_, found, code) => {
    const { requests } = anApi(CHALLENGE, SIGNED);
    await expect(run(inTheWay(requests, found))).rejects.toMatchObject({ code, detail: { next: "back-off" } });
    expect(await loadExchange(path())).toBeUndefined();
  });
});
