// What approval asks of the network, against a real TLS server: the embedded API server stands in for a kubelet.

import { afterAll, beforeAll, expect, it } from "vitest";
import { aCsr } from "../../../test/builders/csr.ts";
import { aRecordingClient } from "../../../test/builders/csr-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import type { Node } from "../../api/core/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { createNetwork } from "./index.ts";

const never = new AbortController().signal;
let server: TestApiServer;
beforeAll(async () => {
  server = await startTestApiServer();
});
afterAll(() => server.close());

function network(addresses: NonNullable<Node["status"]>["addresses"], rest: { whyNot?: () => undefined } = onLoopback) {
  const status = { addresses: addresses ?? [], daemonEndpoints: { kubeletEndpoint: { Port: server.port } } };
  const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "worker-3" }, status };
  const client = aRecordingClient({ get: () => node });
  return createNetwork({ client, clock: systemClock, caPemFor: () => server.caPem, ...rest });
}
/** The kubelet of these tests is on loopback, which is never dialled otherwise. */
const onLoopback = { whyNot: () => undefined };

it("sees the names of the certificate that is served on the Node's InternalIP", async () => {
  const seen = await network([{ type: "InternalIP", address: "127.0.0.1" }]).presentNames(aCsr(), "worker-3", never);
  expect(seen).toMatchObject({ kind: "Present", value: { ipAddresses: expect.arrayContaining(["127.0.0.1"]) } });
});

it("does not dial the address that a compromised kubelet chose", async () => {
  const seen = await network([{ type: "InternalIP", address: "127.0.0.1" }], {}).presentNames(
    aCsr(),
    "worker-3",
    never,
  );
  expect(seen).toEqual({
    kind: "NotRead",
    why: `the kubelet of node worker-3 is not dialled: port ${server.port} is none of a kubelet's, 10250 to 10255; correct the Node's InternalIP and kubelet port`,
  });
});

it("has not read it, and says why, when there is nothing to dial or nobody to trust", async () => {
  expect(await network([]).presentNames(aCsr(), "worker-3", never)).toMatchObject({
    kind: "NotRead",
    why: "node worker-3 has no InternalIP to dial",
  });
  const elsewhere = network([{ type: "InternalIP", address: "127.0.0.2" }]);
  expect(await elsewhere.presentNames(aCsr(), "worker-3", never)).toMatchObject({ kind: "NotRead" });
});
