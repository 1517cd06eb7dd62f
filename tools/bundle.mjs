// One small CommonJS file per credential plugin, beside the compiled modules: kubelet and kubectl start a plugin at every
// credential refresh, and one file of CommonJS is loaded in a fraction of the time of twenty modules. What the everyday run
// does not need (the client, X.509, a provider) stays in the compiled modules and is imported from there when it is needed.

import { chmodSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The plugins that the package ships; test/providers/null has a bundle too, which is never written to dist/. */
export const AUTHENTICATORS = ["kubelet-authenticator-insecure", "kubelet-authenticator-tpm"];

/** The oldest Node that is supported. */
export const TARGET = "node20.18";

/**
 * @typedef {{ source: string, outfile: string, compiledDir: string }} Plugin `compiledDir` is where tsc put src/
 */

/** @param {string} name @param {string} compiledDir @returns {Plugin} */
export function shippedPlugin(name, compiledDir) {
  const outfile = join(compiledDir, "bin", `${name}.cjs`);
  return { source: join(ROOT, "src", "bin", `${name}.ts`), outfile, compiledDir };
}

/** @param {Plugin} plugin @param {{ write?: boolean }} [options] */
export async function bundlePlugin(plugin, { write = true } = {}) {
  const { metafile } = await build({
    entryPoints: [plugin.source],
    outfile: plugin.outfile,
    write,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: TARGET,
    legalComments: "none",
    metafile: true,
    logLevel: "error",
    plugins: [keepDoors(plugin)],
  });
  if (write) chmodSync(plugin.outfile, 0o755);
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
        return { path: relative(dirname(outfile), compiled).replace(/\.ts$/, ".js"), external: true };
      });
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const compiledDir = resolve(process.argv[2] ?? join(ROOT, "dist"));
  for (const name of AUTHENTICATORS) await bundlePlugin(shippedPlugin(name, compiledDir));
}
