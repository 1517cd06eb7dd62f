import { afterEach, describe, expect, it } from "vitest";
import { callApi } from "../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const MINUTE_MS = 60_000;

let server: TestApiServer | undefined;
afterEach(() => server?.close());

describe("a list that is read on after a while", () => {
  it("is told to begin again, with a token that goes on with what there is now", async () => {
    const clock = createManualClock(Date.now());
    const started = await startTestApiServer({ clock });
    server = started;
    const create = (name: string) => callApi(started, { method: "POST", path: MAPS, body: { metadata: { name } } });
    for (const name of ["a", "b", "c"]) await create(name);
    const first = await callApi(started, { path: `${MAPS}?limit=1` });
    const go = (token: string) => callApi(started, { path: `${MAPS}?limit=1&continue=${token}` });
    const token = first.body.metadata.continue;
    await create("d");
    await clock.advance(6 * MINUTE_MS);
    expect((await go(token)).status).toBe(200);
    await clock.advance(5 * MINUTE_MS);
    const late = await go(token);
    expect([late.status, late.body.reason]).toEqual([410, "Expired"]);
    const next = await go(late.body.metadata.continue);
    expect(next.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(["b"]);
    expect(next.body.metadata.resourceVersion).not.toBe(first.body.metadata.resourceVersion);
  });
});
