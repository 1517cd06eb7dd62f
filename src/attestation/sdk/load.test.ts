// Packages as npm would have installed them, in a temporary folder: one that is right, and each way to be wrong.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadEndorsementKeySource, loadProvider, loadVerifier } from "./load.ts";
import { loadSdkVerifiers } from "./verifier.ts";

let root = "";
let count = 0;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "countersign-packages-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const PROVIDER = `({
  name: "example", contractVersion: 1, versions: [1], freshness: "challenge", canRenew: true, canServe: false,
  providerId: async () => "example:///" + settings.zone, attest: async () => ({}),
})`;
const VERIFIER = `({
  name: "example", contractVersion: 1, versions: [1], freshness: "challenge", gatherLimitMs: 1000,
  gather: async () => undefined, verifyClient: () => ({}), verifyServing: () => ({}),
})`;
const SOURCE = `({ name: "vcenter", endorsementKeyOf: async () => "sha256:00" })`;
const EXPORTS = { "./node": "./node.js", "./verifier": { types: "./v.d.ts", import: "./verifier.js" } };

interface Installed {
  readonly name?: string;
  readonly manifest?: string;
  readonly exports?: unknown;
  readonly node?: string;
  readonly verifier?: string;
}

/** A folder of its own each time: a module is loaded once and then remembered. */
function install(given: Installed = {}) {
  const installedAbove = join(root, String(count++), "lib", "countersign", "dist");
  const { name = "example-provider", exports = EXPORTS } = given;
  const folder = join(dirname(dirname(installedAbove)), "node_modules", name);
  mkdirSync(folder, { recursive: true });
  mkdirSync(installedAbove, { recursive: true });
  writeFileSync(join(folder, "package.json"), given.manifest ?? JSON.stringify({ name, type: "module", exports }));
  writeFileSync(join(folder, "node.js"), given.node ?? `export const createProvider = (settings) => ${PROVIDER};`);
  const verifier = `export const createVerifier = async () => ${VERIFIER};
    export const createEndorsementKeySource = () => ${SOURCE};`;
  writeFileSync(join(folder, "verifier.js"), given.verifier ?? verifier);
  return { installedAbove, settings: { zone: "a" } };
}

const provider = (given?: Installed) => loadProvider(given?.name ?? "example-provider", install(given));
const verifier = (given?: Installed) => loadVerifier(given?.name ?? "example-provider", install(given));
const providerWith = (member: string) =>
  provider({ node: `export const createProvider = (settings) => ({ ...${PROVIDER}, ${member} });` });
const verifierWith = (member: string) =>
  verifier({ verifier: `export const createVerifier = () => ({ ...${VERIFIER}, ${member} });` });

describe("loading a provider by the name of its package", () => {
  it("gives the machine its end, with the operator's settings", async () => {
    const loaded = await provider();
    expect(loaded.name).toBe("example");
    expect(await loaded.providerId({ nodeName: "n", signal: AbortSignal.abort() })).toBe("example:///a");
  });

  it("gives the controller its end, and the endorsement keys where the platform knows them", async () => {
    expect((await verifier()).gatherLimitMs).toBe(1000);
    expect((await loadEndorsementKeySource("example-provider", install())).name).toBe("vcenter");
  });

  it("gives the controller all that its command line names, with the settings of their files", async () => {
    const verifier = `export const createVerifier = (settings) => ({ ...${VERIFIER}, name: settings.name });`;
    const { installedAbove } = install({ verifier });
    const file = join(root, "settings.json");
    writeFileSync(file, JSON.stringify({ name: "named" }));
    const load = (...words: readonly string[]) => loadSdkVerifiers(words, { installedAbove });
    expect(await load(`example-provider=${file}`)).toMatchObject([{ name: "named", versions: [1] }]);
    await expect(load(`example-provider=${file}`, `example-provider=${file}`)).rejects.toThrow("two packages");
    await expect(load("example-provider")).rejects.toThrow("name must be");
    await expect(load("example-provider=/no/such/file")).rejects.toThrow("/no/such/file");
    for (const text of ["[]", "{", "1"]) {
      writeFileSync(file, text);
      await expect(load(`example-provider=${file}`)).rejects.toThrow(file);
    }
  });

  it("knows packages with a scope", async () => {
    expect((await provider({ name: "@example/provider" })).name).toBe("example");
  });

  /** What `./node` is in `exports`; Node's own loader, asked for the same, takes the file that is right. */
  const conditions: Readonly<Record<string, unknown>> = {
    "a path alone": "./node.js",
    "the first that holds, whatever its name": { default: "./node.js", node: "./wrong.js", import: "./wrong.js" },
    "none that does not hold": {
      types: "./wrong.js",
      browser: "./wrong.js",
      require: "./wrong.js",
      import: "./node.js",
    },
    "conditions within conditions": { node: { require: "./wrong.js", import: "./node.js" }, default: "./wrong.js" },
    "the next, where one leads nowhere": { node: { require: "./wrong.js" }, default: "./node.js" },
  };
  it.each(Object.entries(conditions))("takes, of a package's conditions, %s", async (_, node) => {
    const options = install({ exports: { "./node": node } });
    expect((await loadProvider("example-provider", options)).name).toBe("example");
    const from = join(options.installedAbove, "importer.mjs");
    writeFileSync(from, 'import { createProvider } from "example-provider/node"; createProvider({});');
    execFileSync(process.execPath, [from]);
  });

  const refused: Readonly<Record<string, [() => Promise<unknown>, RegExp]>> = {
    "a package that says that it has none here": [
      () => provider({ exports: { "./node": { node: null, default: "./node.js" } } }),
      /exports no \.\/node/,
    ],
    "a package with conditions that never hold": [
      () => provider({ exports: { "./node": { browser: "./node.js" } } }),
      /exports no \.\/node/,
    ],
    "a package that is not there": [
      () => loadProvider("no-such-provider", install()),
      /no-such-provider is not installed .* npm install no-such-provider/,
    ],
    "a path in the place of a name": [() => loadProvider("../evil", install()), /is not the name of an npm package/],
    "an absolute path": [() => loadProvider("/tmp/evil", install()), /is not the name of an npm package/],
    "a path behind the name": [() => loadProvider("example-provider/evil", install()), /is not the name/],
    "a manifest that is not JSON": [() => provider({ manifest: "{" }), /package.json is not JSON/],
    "a manifest without exports": [() => provider({ manifest: "{}" }), /exports no \.\/node/],
    "a manifest that is a list": [() => provider({ manifest: "[]" }), /exports no \.\/node/],
    "a package without a verifier": [() => verifier({ exports: { "./node": "./node.js" } }), /exports no \.\/verifier/],
    "a target outside the package": [
      () => provider({ exports: { "./node": "./../../evil.js" } }),
      /from outside of itself/,
    ],
    "a module that does not parse": [() => provider({ node: "export const =" }), /node cannot be loaded: /],
    "a module that throws": [
      () => provider({ node: "throw new Error('no TPM here')" }),
      /cannot be loaded: no TPM here/,
    ],
    "a module without its factory": [() => provider({ node: "export {}" }), /exports no function createProvider/],
    "a factory that refuses its settings": [
      () => provider({ node: "export const createProvider = () => { throw new TypeError('url must be set') }" }),
      /refuses its settings: url must be set/,
    ],
    "a factory that returns nothing": [
      () => provider({ node: "export const createProvider = () => undefined" }),
      /returned undefined, expected an object/,
    ],
    "another contract": [() => providerWith("contractVersion: 2"), /contract 2; this program speaks contract 1/],
    "no contract": [() => verifierWith("contractVersion: undefined"), /no contract version/],
    "a name in capitals": [() => providerWith('name: "Example"'), /name must be a provider name/],
    "a name of the product": [() => providerWith('name: "tpm"'), /not one of the product's own/],
    "the null provider's name": [() => verifierWith('name: "null"'), /not one of the product's own/],
    "no versions": [() => providerWith("versions: []"), /versions must list numbers/],
    "a version twice": [() => providerWith("versions: [1, 1]"), /each once/],
    "neither nonce nor time limit": [() => verifierWith('freshness: "none"'), /must be challenge or time-limited/],
    "a time limit without a number": [() => verifierWith('freshness: "time-limited"'), /maxProofAgeMs must be/],
    "a proof of an hour": [
      () => verifierWith('freshness: "time-limited", maxProofAgeMs: 3600000'),
      /at most fifteen minutes/,
    ],
    "a gather of a minute": [() => verifierWith("gatherLimitMs: 60000"), /at most ten seconds/],
    "a judge that is no function": [() => verifierWith("verifyServing: true"), /verifyServing must be a function/],
    "a flag that is a word": [() => providerWith('canRenew: "yes"'), /canRenew must be true or false/],
    "a hello that is no function": [() => providerWith("hello: {}"), /hello must be a function where it is there/],
    "a package without endorsement keys": [
      () =>
        loadEndorsementKeySource(
          "example-provider",
          install({ verifier: `export const createVerifier = () => ${VERIFIER};` }),
        ),
      /exports no function createEndorsementKeySource/,
    ],
  };
  it.each(Object.entries(refused))("refuses %s", async (_, [load, expected]) => {
    await expect(load()).rejects.toThrow(
      expect.objectContaining({ name: "Fault", message: expect.stringMatching(expected) }),
    );
  });
});
