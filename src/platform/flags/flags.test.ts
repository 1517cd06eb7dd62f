import { describe, expect, it } from "vitest";
import { describeFlags, parseAddress, parseChoice, parseDuration, readFlags, requireFlag } from "./index.ts";

describe("a duration", () => {
  it.each([
    ["500ms", 500],
    ["90s", 90_000],
    ["15m", 900_000],
    ["24h", 86_400_000],
    ["7d", 604_800_000],
    ["24h0m0s", 86_400_000],
    ["1m500ms", 60_500],
    ["0s", 0],
  ])("%s is %d ms", (text, ms) => expect(parseDuration("--ttl", text)).toBe(ms));

  it.each(["", "15", "m", "15 m", "-1m", "1.5h", "15w", "1e3s", "9999999s", "1m2"])("is not %j", (text) => {
    expect(() => parseDuration("--ttl", text)).toThrow(`--ttl is ${JSON.stringify(text)}, expected a duration such as`);
  });

  it("keeps its bounds and names them", () => {
    const bounds = { minMs: 600_000, maxMs: 290_000_000 };
    expect(parseDuration("--life", "10m", bounds)).toBe(600_000);
    expect(() => parseDuration("--life", "599s", bounds)).toThrow('--life is "599s", expected at least 10m');
    expect(() => parseDuration("--life", "7d", bounds)).toThrow('--life is "7d", expected at most 290000s');
  });
});

describe("an address", () => {
  it.each([
    ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
    ["localhost:0", { host: "localhost", port: 0 }],
    ["[::1]:6443", { host: "::1", port: 6443 }],
    ["[::ffff:127.0.0.1]:6443", { host: "::ffff:127.0.0.1", port: 6443 }],
    [":8080", { host: "0.0.0.0", port: 8080 }],
  ])("%s", (text, address) => expect(parseAddress("--listen", text)).toEqual(address));

  it.each(["", "localhost", "::1:6443", "[::1]", "a b:1", "host:65536", "host:http", "https://host:1"])(
    "is not %j",
    (text) => expect(() => parseAddress("--listen", text)).toThrow("expected host:port such as"),
  );
});

describe("a word of several", () => {
  it("is one of them", () => expect(parseChoice("--output", "json", ["text", "json"])).toBe("json"));

  it("is nothing else", () => {
    expect(() => parseChoice("--output", "yaml", ["text", "json"])).toThrow(
      '--output is "yaml", expected text or json',
    );
    expect(() => parseChoice("--level", "loud", ["a", "b", "c"])).toThrow("expected one of a, b, c");
  });
});

describe("flags", () => {
  const table = {
    name: { flag: "--name NAME", help: "what to call it" },
    loud: { flag: "--loud", help: "more of it" },
    size: { flag: "--size NUMBER", help: "how much", default: "2", parse: Number },
    places: { flag: "--place NAME", formerly: "--spot", help: "where; may be given again", multiple: true },
  } as const;

  it("are read by their kind", () => {
    const values = { name: "a", loud: false, size: 2, places: [] };
    expect(readFlags(["--name=a"], table)).toEqual({ values, warnings: [] });
    expect(readFlags(["--loud", "--size", "3"], table)).toMatchObject({ values: { loud: true, size: 3 } });
    expect(requireFlag("--name", "a")).toBe("a");
  });

  it("with an earlier name are taken by it, too, with a warning", () => {
    expect(readFlags(["--spot=a", "--place=b"], table)).toMatchObject({
      values: { places: ["b", "a"] },
      warnings: ["--spot is now --place; the old name will go"],
    });
  });

  it.each(["help", "version"])("answer --%s whatever else is given", (word) => {
    expect(readFlags(["--loud", `--${word}`], table)).toBe(word);
  });

  it("are described in columns", () => {
    const long = { ...table.name, help: "word ".repeat(30).trim(), opensParagraph: true } as const;
    expect(describeFlags({ loud: table.loud, places: table.places, long }, 8)).toBe(
      [
        "  --loud   more of it",
        "  --place NAME  where; may be given again (formerly --spot)",
        "",
        `  --name NAME  ${"word ".repeat(21).trim()}`,
        `           ${"word ".repeat(9).trim()}`,
        "  --help, --version",
        "",
      ].join("\n"),
    );
  });

  it.each([
    ["an unknown one", ["--nmae", "a"]],
    ["one without its value", ["--name"]],
    ["a word of no flag", ["a"]],
  ])("are not %s", (_, args) => {
    expect(() => readFlags(args, table)).toThrow(expect.objectContaining({ code: "bad-config" }));
  });

  it("that are needed and missing are named", () => {
    for (const value of [undefined, ""]) expect(() => requireFlag("--name", value)).toThrow("--name is missing");
  });
});
