import { describe, expect, it } from "vitest";
import { signDetachedHs256, verifyDetachedHs256 } from "./index.ts";

const keyId = "joshua";
const secret = "my voice is my passcode";
const content = "Hello from the other side. I must have called a thousand times.";
const jws = "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8";

describe("the detached JWS of cluster-info", () => {
  it("is what Kubernetes computes", () => {
    expect(signDetachedHs256({ keyId, secret, content })).toBe(jws);
    const header = "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9";
    expect(signDetachedHs256({ keyId, secret, content: "" })).toBe(
      `${header}..7Ui1ALizW4jXphVUB7xUqC9vLYLL9RZeOFfVLoB7Tgk`,
    );
    expect(signDetachedHs256({ keyId, secret: "", content })).toBe(
      `${header}..UfkqvDGiIFxrMnFseDj9LYJOLNrvjW8aHhF71mvvAs8`,
    );
  });

  it("is accepted with its own key, secret and content only", () => {
    expect(verifyDetachedHs256({ jws, keyId, secret, content })).toBe(true);
    expect(verifyDetachedHs256({ jws, keyId: "david0", secret, content })).toBe(false);
    expect(verifyDetachedHs256({ jws, keyId, secret: `${secret}!`, content })).toBe(false);
    expect(verifyDetachedHs256({ jws, keyId, secret, content: `${content} ` })).toBe(false);
  });

  it("is refused in any other spelling", () => {
    const otherHeader = Buffer.from('{"kid":"joshua","alg":"HS256"}').toString("base64url");
    const spellings = [
      "",
      "..",
      `${jws}=`,
      jws.slice(0, -1),
      jws.replace("..", ".e30."),
      jws.replace(/^[^.]*/, otherHeader),
    ];
    for (const other of spellings)
      expect(verifyDetachedHs256({ jws: other, keyId, secret, content }), other).toBe(false);
  });
});
