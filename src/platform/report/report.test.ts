import { describe, expect, it } from "vitest";
import { Fault } from "../../kernel/outcome/index.ts";
import { createLog, type LogOptions, silentLog } from "./index.ts";
import { isSecretName, redactFields, redactText } from "./redact.ts";

async function collecting(options: LogOptions = {}) {
  const lines: string[] = [];
  const log = await createLog({ ...options, destination: { write: (line) => lines.push(line) } });
  return { log, lines, objects: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe("a log", () => {
  it("writes one JSON object a line: time, level, message, fields", async () => {
    const { log, objects } = await collecting();
    log.info("node joined", { name: "worker-1", attempt: 2 });
    const [line] = objects();
    expect(line).toEqual({
      level: "info",
      time: expect.any(String),
      message: "node joined",
      name: "worker-1",
      attempt: 2,
    });
    expect(line?.["time"]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it("keeps silent below its level", async () => {
    const { log, objects } = await collecting({ level: "warn" });
    for (const level of ["debug", "info", "warn", "error"] as const) log[level](level);
    expect(objects().map(({ message }) => message)).toEqual(["warn", "error"]);
  });

  it("gives its children their fields", async () => {
    const { log, objects } = await collecting();
    log.child({ loop: "approval" }).child({ attempt: 1 }).warn("waiting", { name: "csr-1" });
    expect(objects()[0]).toMatchObject({ loop: "approval", attempt: 1, name: "csr-1" });
  });

  it("writes a fault by code and detail, and the stack only of a surprise", async () => {
    const { log, objects } = await collecting();
    const cause = new TypeError("undefined is not a function");
    log.error("failed", { error: new Fault("unavailable", "away", { detail: { status: 503 }, cause }) });
    expect(objects()[0]).toMatchObject({
      error: {
        code: "unavailable",
        message: "away",
        detail: { status: 503 },
        cause: { type: "TypeError", stack: expect.stringContaining("report.test") },
      },
    });
    expect(objects()[0]?.["error"] as object).not.toHaveProperty("stack");
  });

  it("writes sentences for people on request", async () => {
    const { log, lines } = await collecting({ format: "text" });
    log.warn("watch ended", { resource: "nodes", why: "no reason given" });
    log.info("done");
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}watch ended {2}resource=nodes why="no reason given"\n$/);
    expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d info {2}done\n$/);
  });

  it("never writes a secret, whatever it is called in", async () => {
    const secret = "abcdef.0123456789abcdef";
    const { log, lines } = await collecting();
    log.child({ token: secret }).info(`joining with ${secret}`, {
      authorization: `Bearer ${secret}`,
      nested: { list: [{ clientKey: "k" }, `token ${secret}`] },
      error: new Fault("unauthorized", `token ${secret} is unknown`, { cause: new Error(secret) }),
    });
    expect(lines.join("")).not.toContain("0123456789abcdef");
    expect(lines.join("")).not.toContain('"k"');
    expect(lines.join("")).toContain("joining with abcdef.[redacted]");
  });

  it("may be silent", () => {
    expect(silentLog.child({ a: 1 }).info("nothing")).toBeUndefined();
  });
});

describe("a secret name", () => {
  const names: Record<string, boolean> = {
    token: true,
    Authorization: true,
    bootstrapToken: true,
    "client-key-data": true,
    keyPem: true,
    "client-key": true,
    private_key: true,
    "X-Auth-Token": true,
    SECRET: true,
    passwords: true,
    tokenId: false,
    secretName: false,
    keyId: false,
    monkey: false,
    name: false,
    "": false,
  };
  for (const [name, expected] of Object.entries(names)) {
    it(`${JSON.stringify(name)}: ${expected}`, () => expect(isSecretName(name)).toBe(expected));
  }
});

describe("redaction", () => {
  it("blanks tokens and private keys within texts, and leaves the rest", () => {
    expect(redactText("a eyJhbGciOi.eyJzdWIi.c2ln b")).toBe("a [redacted] b");
    expect(redactText("x -----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----\n y")).toBe(
      "x [redacted]\n y",
    );
    expect(redactText("cut -----BEGIN PRIVATE KEY-----\nMHcC")).toBe("cut [redacted]");
    const plain = "-----BEGIN CERTIFICATE----- node-1.example.com 10.0.0.1 sha256:0123456789abcdef";
    expect(redactText(plain)).toBe(plain);
  });

  it("bounds depth, even of an object that holds itself, and shows bytes by their number", () => {
    const loop: Record<string, unknown> = { bytes: new Uint8Array(3), big: 1n };
    loop["self"] = loop;
    const redacted = redactFields(loop);
    expect(redacted).toMatchObject({ bytes: "[3 bytes]", big: "1" });
    expect(JSON.stringify(redacted)).toContain("[too deep]");
  });
});
