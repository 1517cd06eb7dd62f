// What the build makes of the compiled modules, so that starting a program does not mean reading hundreds of files
// (docs/decisions/0010-bundled-programs.md):
// - the programs: one file each, and chunks beside them that are loaded when a command needs them;
// - the credential plugins: one small CommonJS file each. kubelet and kubectl start one at every credential refresh;
//   what the everyday run does not need stays in the compiled modules and is imported from there when it is needed.
//   `countersign/authenticator`, which other people's plugins enter by, is the same as a module, as theirs are;
// - the manifests that an embedded cluster begins with, as JSON;
// - the example provider of the demonstration, as `npm install` would find it;
// - the provider for machines without TPM or platform, machine-key, as a package that the product brings with it.
// The compiled modules stay: `exports` of package.json names them, and the plugins go on in them.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { parseAllDocuments } from "yaml";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

export const BUNDLED_PROGRAMS = ["countersign", "countersign-gateway", "node-attestation-controller"];

/** The plugins that the package ships; test/providers/null has a bundle too, which is never written to dist/. */
export const AUTHENTICATORS = ["kubelet-authenticator", "kubelet-authenticator-insecure", "kubelet-authenticator-tpm"];

/** The oldest Node that is supported. */
export const TARGET = "node20.18";

/** @type {import("esbuild").BuildOptions} */
const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: "node",
  target: TARGET,
  legalComments: "none",
  logLevel: "error",
};

/** @param {string} name */
const sourceOf = (name) => join(ROOT, "src", "bin", `${name}.ts`);

/**
 * The programs over the compiled ones in `compiledDir`. Names stay as they are written, for whoever reads a stack; with
 * `node --enable-source-maps` it names the sources.
 * @param {string} compiledDir @param {{ write?: boolean }} [options]
 */
export async function bundlePrograms(compiledDir, { write = true } = {}) {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: BUNDLED_PROGRAMS.map(sourceOf),
    outdir: compiledDir,
    entryNames: "bin/[name]",
    chunkNames: "chunks/[name]-[hash]",
    write,
    format: "esm",
    splitting: true,
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
    // A native addon finds itself beside its own files.
    external: ["lmdb"],
    // Dependencies that are CommonJS call `require` for Node's own modules.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    plugins: [onlyDispatchers],
  });
  // npm makes a program executable when it links it first, not when a later build writes it anew.
  if (write) for (const name of BUNDLED_PROGRAMS) chmodSync(join(compiledDir, "bin", `${name}.js`), 0o755);
  return metafile;
}

/**
 * Of undici only what is used: its main file also loads `fetch`, WebSocket, caches and mocks, another 600 KB. It is
 * imported when a connection is wanted, so a name that is missing here would be noticed only then: the test holds the
 * list to what src/ asks for.
 */
export const DISPATCHERS = {
  Client: "dispatcher/client.js",
  Pool: "dispatcher/pool.js",
  buildConnector: "core/connect.js",
};

/** As undici's main file does, this one gives every dispatcher its methods. */
const DISPATCHERS_MODULE = `
import methods from "undici/lib/api/index.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
Object.assign(Dispatcher.prototype, methods);
${Object.entries(DISPATCHERS)
  .map(([name, file]) => `export { default as ${name} } from "undici/lib/${file}";`)
  .join("\n")}
`;

/** @type {import("esbuild").Plugin} */
const onlyDispatchers = {
  name: "only-dispatchers",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace: "only-dispatchers" }));
    const module = { contents: DISPATCHERS_MODULE, resolveDir: ROOT };
    onLoad({ filter: /^undici$/, namespace: "only-dispatchers" }, () => module);
  },
};

/**
 * `compiledDir` is where tsc put src/.
 * @typedef {{ source: string, outfile: string, compiledDir: string, format?: "cjs" | "esm" }} Plugin
 */

/** @param {string} name @param {string} compiledDir @returns {Plugin} */
export function shippedPlugin(name, compiledDir) {
  const outfile = join(compiledDir, "bin", `${name}.cjs`);
  return { source: sourceOf(name), outfile, compiledDir };
}

/**
 * `countersign/authenticator`, over the compiled module of package.json's `exports`.
 * @param {string} compiledDir @returns {Plugin}
 */
export function pluginEntry(compiledDir) {
  const path = join("node", "exec", "provider");
  return {
    source: join(ROOT, "src", `${path}.ts`),
    outfile: join(compiledDir, `${path}.js`),
    compiledDir,
    format: "esm",
  };
}

/** @param {Plugin} plugin @param {{ write?: boolean }} [options] */
export async function bundlePlugin(plugin, { write = true } = {}) {
  const { format = "cjs" } = plugin;
  const { metafile } = await build({
    ...COMMON,
    entryPoints: [plugin.source],
    outfile: plugin.outfile,
    write,
    format,
    metafile: true,
    plugins: [keepDoors(plugin)],
  });
  if (write && format === "cjs") chmodSync(plugin.outfile, 0o755);
  return metafile;
}

/**
 * A dynamic import is the door to the slow way: it keeps pointing at the compiled module.
 * @param {Plugin} plugin
 * @returns {import("esbuild").Plugin}
 */
function keepDoors({ outfile, compiledDir }) {
  return {
    name: "keep-doors",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) => {
        if (kind !== "dynamic-import") return undefined;
        const compiled = join(compiledDir, relative(join(ROOT, "src"), resolve(resolveDir, path)));
        const door = relative(dirname(outfile), compiled).replace(/\.ts$/, ".js");
        return { path: door.startsWith(".") ? door : `./${door}`, external: true };
      });
    },
  };
}

/** Those that src/plane/manifests.ts is asked for. */
export const MANIFESTS = ["controller-rbac.yaml", "crds/joinpolicies.yaml", "crds/nodeidentities.yaml"];

/** @param {string} compiledDir */
export function encodeManifests(compiledDir) {
  mkdirSync(join(compiledDir, "deploy", "crds"), { recursive: true });
  for (const name of MANIFESTS) {
    const documents = parseAllDocuments(readFileSync(join(ROOT, "deploy", name), "utf8"));
    const text = JSON.stringify(documents.map((document) => document.toJS()));
    writeFileSync(join(compiledDir, "deploy", name.replace(/yaml$/, "json")), text);
  }
}

const EXAMPLE = "instance-identity";

/**
 * The provider that `countersign demo` loads where there is no TPM (src/cli/commands/cluster/demo-instances.ts): both
 * of its ends, and the platform in miniature that its own test runs on.
 * @param {string} compiledDir
 */
export async function bundleExample(compiledDir) {
  const source = join(ROOT, "examples", EXAMPLE, "src");
  await build({
    ...COMMON,
    entryPoints: {
      node: join(source, "node.ts"),
      verifier: join(source, "verifier.ts"),
      platform: join(source, "testing", "metadata-server.ts"),
    },
    outdir: join(compiledDir, "examples", EXAMPLE),
    format: "esm",
    conditions: ["countersign-source"],
  });
}

const SHIPPED = "machine-key";

/**
 * The provider that the product ships beside its own: a package within the package, found by
 * src/attestation/sdk/find-package.ts, and the program that its kubelets call.
 * @param {string} compiledDir
 */
export async function bundleShipped(compiledDir) {
  const source = join(ROOT, "examples", SHIPPED);
  const name = `kubelet-authenticator-${SHIPPED}`;
  const folder = join(compiledDir, "providers", name);
  await build({
    ...COMMON,
    entryPoints: { node: join(source, "src", "node.ts"), verifier: join(source, "src", "verifier.ts") },
    outdir: folder,
    format: "esm",
    conditions: ["countersign-source"],
  });
  const { version, license } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const exports = { "./node": "./node.js", "./verifier": "./verifier.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version, license, type: "module", exports }));
  const program = `#!/usr/bin/env node
import { runProviderAuthenticator } from "../../node/exec/provider.js";

await runProviderAuthenticator({ name: "${SHIPPED}", canRenew: true, load: () => import("./node.js") });
`;
  writeFileSync(join(folder, "program.js"), program, { mode: 0o755 });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const compiledDir = resolve(process.argv[2] ?? join(ROOT, "dist"));
  await bundlePrograms(compiledDir);
  encodeManifests(compiledDir);
  await bundleExample(compiledDir);
  await bundleShipped(compiledDir);
  for (const name of AUTHENTICATORS) await bundlePlugin(shippedPlugin(name, compiledDir));
  await bundlePlugin(pluginEntry(compiledDir));
}
