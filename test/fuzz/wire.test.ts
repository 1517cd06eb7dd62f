import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi, type Received } from "../fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../fakes/api-server.ts";
import { badRequest, VICTIM } from "./bad-requests.ts";
import { runs } from "./fuzz.ts";

let server: TestApiServer;

beforeAll(async () => {
  server = await startTestApiServer();
  const victim = { metadata: { name: "victim" }, data: { a: "b" } };
  await callApi(server, { method: "POST", path: VICTIM.replace("/victim", ""), body: victim });
});
afterAll(() => server.close());

/** A refusal is a Status with a code and a reason, whoever asked and whatever for; nothing is a fault of the server. */
function expectCivil(answer: Received): void {
  expect(answer.status).toBeLessThan(500);
  // Paths that nobody serves are answered by kube-apiserver in these words too.
  if (answer.status < 400 || answer.text === "404 page not found\n") return;
  expect(answer.body ?? answer.text).toMatchObject({ kind: "Status", status: "Failure", code: answer.status });
}

describe("the embedded server, asked for nonsense", () => {
  it("refuses with a Status, never with an error of its own, and goes on", async () => {
    await fc.assert(
      fc.asyncProperty(badRequest, async (sent) => {
        expectCivil(await callApi(server, sent));
      }),
      runs(300),
    );
    expect(await callApi(server, { path: "/readyz" })).toMatchObject({ status: 200, text: "ok" });
  });
});
