import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "./evidence.ts";
import { type PresignedRequest, readPresigned, sendPresigned } from "./presigned.ts";

const QUESTION = "?Action=GetCallerIdentity";
const RULES = {
  hosts: ["sts.example.com", "sts.example.com:8443"],
  path: "/",
  query: { Action: "GetCallerIdentity" },
  headers: ["x-countersign-digest"],
};
const read = (changes: JsonObject = {}) => {
  const evidence = { headers: {}, method: "POST", url: `https://sts.example.com/${QUESTION}` };
  return readPresigned({ ...evidence, ...changes }, RULES);
};

describe("a presigned request", () => {
  it.each<[string, JsonObject]>([
    ["to a host of the list", {}],
    ["to a port of the list", { url: `https://sts.example.com:8443/${QUESTION}` }],
    ["with a header of the list", { headers: { "x-countersign-digest": "00" } }],
    ["to a host of the list, in whatever case", { url: `https://STS.example.com/${QUESTION}&Version=2011-06-15` }],
  ])("%s is sent", (_, changes) => expect(read(changes)).toHaveProperty("url"));

  it.each<[string, JsonObject]>([
    ["to a host inside the cluster's network", { url: "https://169.254.169.254/latest/meta-data" }],
    ["to the API server", { url: "https://kubernetes.default.svc/api/v1/secrets" }],
    ["to a host that only ends like one of the list", { url: `https://evil-sts.example.com/${QUESTION}` }],
    ["to a host that begins like one of the list", { url: `https://sts.example.com.evil.test/${QUESTION}` }],
    ["to a host behind a user's name", { url: `https://sts.example.com@evil.test/${QUESTION}` }],
    ["with a user's name", { url: `https://me:word@sts.example.com/${QUESTION}` }],
    ["to another port", { url: `https://sts.example.com:6443/${QUESTION}` }],
    ["in the clear", { url: `http://sts.example.com/${QUESTION}` }],
    ["of another scheme", { url: "file:///etc/passwd" }],
    ["with a fragment", { url: `https://sts.example.com/${QUESTION}#x` }],
    ["to no address", { url: "sts.example.com" }],
    ["with another question", { url: "https://sts.example.com/?Action=AssumeRoleWithWebIdentity" }],
    ["with two questions", { url: `https://sts.example.com/${QUESTION}&Action=AssumeRole` }],
    ["with no question", { url: "https://sts.example.com/" }],
    ["to another path", { url: `https://sts.example.com/own${QUESTION}` }],
    ["with another verb", { method: "DELETE" }],
    ["with a host of its own", { headers: { host: "evil.test" } }],
    ["with headers that are none", { headers: ["x"] }],
    ["with a body of its own", { body: "x" }],
  ])("%s is not sent", (_, changes) => expect(read(changes)).toHaveProperty("why"));
});

describe("sending", () => {
  const server = createServer((request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    else if (request.url === "/much") response.end(Buffer.alloc(65_537));
    else response.end("<Arn>me</Arn>");
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => void server.close());
  const send = (path: string) => {
    const request = read();
    if (!("url" in request)) throw new TypeError(request.why);
    // The way to the platform is replaced, and nothing else.
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const fetch: typeof globalThis.fetch = (_, init) => globalThis.fetch(new URL(path, base), init);
    return sendPresigned(request satisfies PresignedRequest, { signal: AbortSignal.timeout(5_000), fetch });
  };

  it("gives what the platform says", async () => {
    expect(await send("/")).toMatchObject({ status: 200, body: Buffer.from("<Arn>me</Arn>") });
  });
  it("follows nobody further", () => expect(send("/away")).rejects.toThrow());
  it("reads no answer without end", () => expect(send("/much")).rejects.toThrow(/more than 65536 octets/));
});
