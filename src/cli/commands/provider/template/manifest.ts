// package.json and tsconfig.json of a new provider.

/** Of what a provider is made with; the SDK's and the product's versions go together. */
const TYPESCRIPT = "^5.8.0";
const NODE_TYPES = "^20.0.0";

export function manifest(name: string, version: string): string {
  return json({
    name: `kubelet-authenticator-${name}`,
    version: "0.1.0",
    description: `Attestation provider ${name} for Countersign`,
    type: "module",
    private: true,
    engines: { node: ">=20.18.1" },
    // Tests are not published.
    files: ["bin", "dist", "!dist/world.*", "!dist/*.test.*"],
    bin: { [`kubelet-authenticator-${name}`]: `bin/kubelet-authenticator-${name}.js` },
    exports: { "./node": "./dist/node.js", "./verifier": "./dist/verifier.js" },
    scripts: {
      build: "tsc",
      prepack: "tsc",
      test: "tsc && node --test dist/provider.test.js",
      conformance: "tsc && countersign-conformance dist/world.js",
    },
    dependencies: { "@countersign/sdk": `^${version}`, countersign: `^${version}` },
    devDependencies: { "@types/node": NODE_TYPES, typescript: TYPESCRIPT },
  });
}

export function compilerSettings(): string {
  return json({
    compilerOptions: {
      target: "es2023",
      lib: ["es2023"],
      module: "nodenext",
      moduleResolution: "nodenext",
      types: ["node"],
      strict: true,
      noUncheckedIndexedAccess: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      skipLibCheck: true,
      rootDir: "src",
      outDir: "dist",
      declaration: true,
    },
    include: ["src"],
  });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
