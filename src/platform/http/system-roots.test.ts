import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadSystemRoots } from "./system-roots.ts";

const directory = mkdtempSync(join(tmpdir(), "roots-"));
afterAll(() => rmSync(directory, { recursive: true }));

const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
const save = (name: string, text: string) => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};

describe("the roots of this machine", () => {
  it("are those of SSL_CERT_FILE, SSL_CERT_DIR, or both, where these are set", async () => {
    const file = save("file.bundle", pem("one"));
    save("a.pem", pem("two"));
    save("b.crt", pem("three"));
    save("readme.txt", pem("four"));
    expect(await loadSystemRoots({ SSL_CERT_FILE: file })).toBe(pem("one"));
    const all = await loadSystemRoots({ SSL_CERT_FILE: file, SSL_CERT_DIR: `${directory}:${directory}/nowhere` });
    expect(["one", "two", "three", "four"].filter((name) => all.includes(pem(name)))).toEqual(["one", "two", "three"]);
    expect(await loadSystemRoots({ SSL_CERT_DIR: directory })).not.toContain(pem("one"));
  });

  it("are missed aloud", async () => {
    for (const path of [join(directory, "nowhere"), save("empty.pem", "")]) {
      await expect(loadSystemRoots({ SSL_CERT_FILE: path })).rejects.toThrow("no root certificates: install");
    }
  });
});
