import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { HttpAnswer } from "../../platform/http/index.ts";
import { compress, MIN_GZIP_BYTES } from "./gzip.ts";

const answer = (length: number): HttpAnswer => ({
  status: 200,
  headers: { vary: "Accept" },
  body: Buffer.alloc(length, "a"),
});
async function* lines() {
  yield "line";
}
const GZIP = { "accept-encoding": "deflate, gzip;q=0.8, br" };

describe("a large answer", () => {
  it("is packed for a client that takes it", async () => {
    const packed = await compress(answer(MIN_GZIP_BYTES + 1), GZIP);
    expect(packed.headers).toEqual({ "content-encoding": "gzip", vary: "Accept, Accept-Encoding" });
    expect(gunzipSync(packed.body as Uint8Array).length).toBe(MIN_GZIP_BYTES + 1);
  });

  it("is packed piece by piece when it is made so", async () => {
    const packed = await compress({ ...answer(0), body: lines() }, GZIP);
    const chunks: Uint8Array[] = [];
    for await (const chunk of packed.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(Buffer.concat(chunks)).toString()).toBe("line");
  });

  it.each([undefined, "", "br", "gzip;q=0", "gzip;q=0.0", "xgzip"])(
    "is not for one that takes %s",
    async (accepted) => {
      const http = answer(MIN_GZIP_BYTES + 1);
      expect(await compress(http, accepted === undefined ? {} : { "accept-encoding": accepted })).toBe(http);
    },
  );
});

describe("any other answer", () => {
  it("stays as it is", async () => {
    const small = answer(MIN_GZIP_BYTES);
    const watch: HttpAnswer = { ...small, body: lines(), givenUp: new AbortController().signal };
    expect(await compress(small, GZIP)).toBe(small);
    expect(await compress(watch, GZIP)).toBe(watch);
  });
});
