import { describe, expect, it } from "vitest";
import { aProcess } from "../../../test/fakes/process-edge.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { createTerminal, plainText, printFailure, table } from "./index.ts";

function capture(options: Parameters<typeof aProcess>[0]) {
  const { edge, written } = aProcess(options);
  return { terminal: createTerminal(edge), written };
}

describe("createTerminal", () => {
  it("has colours on a terminal and none when piped or unwanted", () => {
    expect(capture({ isTty: true }).terminal.paint("bad", "x")).toBe("\u001b[31mx\u001b[0m");
    expect(capture({ isTty: false }).terminal.paint("bad", "x")).toBe("x");
    expect(capture({ isTty: true, env: { NO_COLOR: "1" } }).terminal.paint("bad", "x")).toBe("x");
    expect(capture({ isTty: true, env: { TERM: "dumb" } }).terminal.paint("bad", "x")).toBe("x");
  });
});

describe("plainText", () => {
  it("leaves words alone and spells out what would steer a terminal", () => {
    expect(plainText("node worker-1 is registered · größer")).toBe("node worker-1 is registered · größer");
    expect(plainText("a\u001b[2Jb\nc\u202ed")).toBe("a\\u001b[2Jb\\u000ac\\u202ed");
  });
});

describe("table", () => {
  it("has columns as wide as their widest cell, and no cell that steers the terminal", () => {
    const rows = [
      ["a", "long one"],
      ["b\u001b[2J", ""],
    ];
    expect(table(["NAME", "WHAT"], rows).split("\n")).toEqual([
      "NAME         WHAT",
      "a            long one",
      "b\\u001b[2J",
      "",
    ]);
  });
});

describe("printFailure", () => {
  it("says what happened, why and what to do, and returns the exit code", () => {
    const { terminal, written } = capture({ isTty: false });
    const cause = new Error("connect ECONNREFUSED 127.0.0.1:6443");
    const fault = new Fault("unavailable", "cannot reach the API server at 127.0.0.1:6443", { cause });
    expect(printFailure(terminal, fault, { debug: false })).toBe(69);
    expect(written.err.split("\n")).toEqual([
      "failed  cannot reach the API server at 127.0.0.1:6443",
      "why     connect ECONNREFUSED 127.0.0.1:6443",
      "do      check the address and that the server is up, then run it again   (unavailable)",
      "",
    ]);
    expect(written.out).toBe("");
  });

  it("says what the fault itself says to do, and ends with 3 where only an operator can help", () => {
    const { terminal, written } = capture({ isTty: false });
    const detail = { todo: "switch it on", next: "operator" };
    expect(printFailure(terminal, new Fault("denied", "no", { detail }), { debug: false })).toBe(3);
    expect(written.err).toContain("do      switch it on   (denied)\n");
  });

  it("does not say again as a reason what it said before", () => {
    const { terminal, written } = capture({ isTty: false });
    const root = new Error("connect ECONNREFUSED 127.0.0.1:2321");
    const cause = new Fault("unavailable", "cannot reach the TPM", { cause: root });
    const fault = new Fault("unavailable", `this machine's TPM cannot be used: ${cause.message}`, { cause });
    printFailure(terminal, fault, { debug: false });
    expect(written.err.split("\n").slice(0, 2)).toEqual([
      "failed  this machine's TPM cannot be used: cannot reach the TPM",
      "why     connect ECONNREFUSED 127.0.0.1:2321",
    ]);
  });

  it("sends for a file that is not there to the file, for an object to the list", () => {
    const todoFor = (detail: Record<string, string>) => {
      const { terminal, written } = capture({ isTty: false });
      printFailure(terminal, new Fault("not-found", "it is not there", { detail }), { debug: false });
      return written.err.split("\n")[1];
    };
    expect(todoFor({ errno: "ENOENT" })).toContain("see that the file is there");
    expect(todoFor({ errno: "ENOENT", todo: "switch the TPM on" })).toContain("switch the TPM on");
    expect(todoFor({})).toContain("list what there is");
  });

  it("names the request that is to be explained where the fault knows it", () => {
    const { terminal, written } = capture({ isTty: false });
    printFailure(terminal, new Fault("denied", "no", { detail: { name: "csr-$1" } }), { debug: false });
    expect(written.err).toContain("countersign csr explain csr-$1   (denied)\n");
  });

  it("shows the stack only with --debug", () => {
    const { terminal, written } = capture({ isTty: false });
    printFailure(terminal, new Fault("internal", "odd"), { debug: true });
    expect(written.err).toContain("terminal.test.ts");
  });

  it("shows the stack of what is not a fault: it is a bug", () => {
    const { terminal, written } = capture({ isTty: false });
    expect(printFailure(terminal, new TypeError("x is undefined"), { debug: false })).toBe(70);
    expect(written.err).toContain("TypeError: x is undefined");
  });
});
