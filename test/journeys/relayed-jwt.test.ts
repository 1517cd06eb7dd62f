// A man in the middle without the token relays the JWT of a joining machine. On the embedded server; with the gateway
// before a real kube-apiserver the same is in test/upstream/gateway.test.ts.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JWS_HEADER, parseToken } from "../../src/api/bootstrap/index.ts";
import { createInsecureProvider } from "../../src/attestation/insecure/node.ts";
import { joinNode, parseDiscoveryMethod } from "../../src/node/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { asRoot } from "../fakes/api-client.ts";
import { type JoinableCluster, startJoinableCluster } from "../fakes/joinable-cluster.ts";
import { type JwtRelay, startJwtRelay } from "../fakes/jwt-relay.ts";
import { spellingsFound } from "../fakes/recording-proxy.ts";

describe("a man in the middle who relays the JWT", () => {
  let cluster: JoinableCluster;
  let relay: JwtRelay;
  let directory: string;
  beforeAll(async () => {
    cluster = await startJoinableCluster();
    relay = await startJwtRelay(asRoot(cluster.api), parseToken(cluster.token).id);
    directory = mkdtempSync(join(tmpdir(), "relayed-jwt-"));
  });
  afterAll(async () => {
    await relay?.close();
    await cluster?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it("cannot have a tenant's object signed, pass it for the kubeconfig and be given the token", async () => {
    const joining = joinNode({
      discovery: parseDiscoveryMethod({ address: relay.url, token: cluster.token }),
      nodeName: "worker-1",
      directory,
      provider: createInsecureProvider(),
      clock: systemClock,
      limitMs: 3_000,
    });
    const error = await joining.then(
      () => expect.fail("the join should have failed"),
      (thrown: unknown) => thrown,
    );
    expect(spellingsFound(relay.recorded(), parseToken(cluster.token).secret)).toEqual([]);
    expect(error).toMatchObject({ code: "untrusted" });
    // Neither is it read for the JWT, nor is the refusal signed.
    expect(relay.relayed.map(({ status }) => status)).toContain(403);
    expect(relay.relayed.flatMap(({ headers }) => headers[JWS_HEADER] ?? [])).toEqual([]);
  });
});
