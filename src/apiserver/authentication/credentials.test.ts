// Static tokens, several CAs that change while the server runs, and where anonymous ends.

import { describe, expect, it } from "vitest";
import { callApi } from "../../../test/fakes/api-client.ts";
import { startTestApiServer } from "../../../test/fakes/api-server.ts";
import { createTokenFileAuthenticator } from "./token-file.ts";

const WHO = { method: "POST", path: "/apis/authentication.k8s.io/v1/selfsubjectreviews", body: {} };

describe("a token file", () => {
  const authenticator = createTokenFileAuthenticator(
    ["# comment", 'secret-1,alice,u1,"dev,ops"', "", "secret-2,bob,u2", 'secret-4,"carol ""c""",u3'].join("\n"),
  );
  const user = (bearerToken: string) => authenticator.authenticate({ peerCertificates: [], bearerToken }, 0);

  it("makes users with uid and groups", () => {
    expect(user("secret-1")).toEqual({
      kind: "user",
      user: { username: "alice", uid: "u1", groups: ["dev", "ops"] },
    });
    expect(user("secret-2")).toMatchObject({ user: { username: "bob", groups: [] } });
    expect(user("secret-4")).toMatchObject({ user: { username: 'carol "c"' } });
    expect(user("secret-3")).toEqual({ kind: "none" });
  });

  it.each(["only-a-token", ",alice,u1", 'a,b,"c', 'a,b,c,"d"e'])("is refused when a line is wrong: %s", (line) => {
    expect(() => createTokenFileAuthenticator(line)).toThrow(/^line 1 of the token file/);
  });

  it("knows tokens of the form id.secret by their id, and the others as before", () => {
    const file = createTokenFileAuthenticator(
      "abcdef.0123456789abcdef,node,u1\nplain,bob,u2\nabcdef.0123456789abcdef,last,\n",
    );
    const find = (bearerToken: string) => file.authenticate({ peerCertificates: [], bearerToken }, 0);
    expect(find("abcdef.0123456789abcdef")).toMatchObject({ user: { username: "last" } });
    expect(find("abcdef.0123456789abcdee")).toEqual({ kind: "none" });
    expect(find("plain")).toMatchObject({ user: { username: "bob" } });
    expect(file.secretOf("abcdef")).toBe("0123456789abcdef");
    expect(file.secretOf("plain")).toBeUndefined();
  });

  it("is refused when two tokens have one id: which of them would a JWT be of?", () => {
    const csv = "abcdef.0123456789abcdef,a,\nabcdef.fedcba9876543210,b,\n";
    expect(() => createTokenFileAuthenticator(csv)).toThrow(/^line 2 of the token file has the id/);
  });

  it("works on the server, and its tokens stand in no answer", async () => {
    const server = await startTestApiServer({ more: { tokenFile: "s3cret,alice,u1,dev\n" } });
    const good = await callApi(server, { ...WHO, as: { token: "s3cret" } });
    expect(good.body.status.userInfo).toEqual({
      username: "alice",
      uid: "u1",
      groups: ["dev", "system:authenticated"],
    });
    const bad = await callApi(server, { ...WHO, as: { token: "s3cre" } });
    expect([bad.status, bad.text.includes("s3cre")]).toEqual([401, false]);
    await server.close();
  });
});

describe("client CAs", () => {
  it("are several, and change between two requests", async () => {
    const [one, other] = await Promise.all([startTestApiServer(), startTestApiServer()]);
    const stranger = other.issueClientCertificate({ user: "eve", groups: ["system:masters"] });
    const ask = () => callApi(one, { ...WHO, as: stranger });
    expect((await ask()).status).toBe(401);
    one.server.useClientCa([one.caPem, other.caPem]);
    expect((await ask()).body.status.userInfo.username).toBe("eve");
    // What cannot be used leaves everything as it was.
    for (const bad of [[], [""], [one.caPem, "garbage"]])
      expect(() => one.server.useClientCa(bad)).toThrow(/client CA/);
    expect((await ask()).status).toBe(201);
    one.server.useClientCa([one.caPem]);
    expect((await ask()).status).toBe(401);
    await Promise.all([one.close(), other.close()]);
  });
});

describe("anonymous", () => {
  it("is allowed on the given paths and nowhere else", async () => {
    const server = await startTestApiServer({ more: { anonymousPaths: ["/version"] } });
    expect((await callApi(server, { path: "/version", as: "anonymous" })).status).toBe(200);
    expect((await callApi(server, { path: "/healthz", as: "anonymous" })).status).toBe(401);
    expect((await callApi(server, { path: "/healthz" })).status).toBe(200);
    await server.close();
  });
});
