// Every file of a new provider, by its path, with its package.json, tsconfig.json and README.md.

import { nodeSide, program, statement, test, verifierSide, world } from "./sources.ts";

interface TemplateFile {
  readonly path: string;
  readonly content: string;
  readonly isProgram?: boolean;
}

export function templateFiles(name: string, version: string): readonly TemplateFile[] {
  return [
    { path: "package.json", content: manifest(name, version) },
    { path: "tsconfig.json", content: compilerSettings() },
    { path: "README.md", content: readme(name, version) },
    { path: `bin/kubelet-authenticator-${name}.js`, content: program(name), isProgram: true },
    { path: "src/statement.ts", content: statement(name) },
    { path: "src/node.ts", content: nodeSide(name) },
    { path: "src/verifier.ts", content: verifierSide(name) },
    { path: "src/world.ts", content: world(name) },
    { path: "src/provider.test.ts", content: test(name) },
  ];
}

/** Of what a provider is made with; the SDK's and the product's versions go together. */
const TYPESCRIPT = "^5.8.0";
const NODE_TYPES = "^20.0.0";

function manifest(name: string, version: string): string {
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

function compilerSettings(): string {
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

/**
 * For the two archives that `npm pack` makes while nothing is published. Without --no-save their paths would be in the
 * provider's own package.json, and the archive that it packs could not be installed elsewhere.
 */
export function installLine(version: string): string {
  return `npm install --no-save ../countersign-sdk-${version}.tgz ../countersign-${version}.tgz`;
}

function readme(name: string, version: string): string {
  return `# kubelet-authenticator-${name}

An attestation provider for Countersign: machines prove that they are machines of ${name} before a cluster signs their certificates.

| file | what it is |
| --- | --- |
| src/node.ts | the machine's end: provider ID and evidence |
| src/verifier.ts | the controller's end: gather, then judge |
| src/world.ts | one machine for the conformance suite |
| bin/kubelet-authenticator-${name}.js | the credential plugin that the kubelet starts |

\`\`\`
${installLine(version)}
npm test               # builds, runs the conformance suite and the attacker's test
npm run conformance    # the suite alone, one line a check
\`\`\`

\`npm pack\` in a built clone of Countersign and in its \`sdk/\` makes the two archives, which are put beside this folder. Once
\`@countersign/sdk\` and \`countersign\` are published, \`npm install\` is enough. Until then do not leave out \`--no-save\`: their paths
would be in package.json, and the archive of this package would install nowhere.

As written it proves possession of a key in a file. Put your platform's identity and proof in its place; whatever it is, it must
cover all of \`digest\`, and must be protected from replay by the challenge or by an end of its own within fifteen minutes. The suite
says what does not hold; add a test to src/provider.test.ts for each way in which your platform's proof could be borrowed.

## Using it

\`npm pack\` builds the archive that is installed beside Countersign, on the machines and where the controller runs. The settings of
each end are a JSON object in a file:

| file | of | as written |
| --- | --- | --- |
| node.json | src/node.ts | \`{ "machine": "one", "keyFile": "/etc/${name}/machine.pem" }\` |
| verifier.json | src/verifier.ts | \`{ "machinesFile": "/etc/${name}/machines.json" }\` |

machines.json has each machine's public key and names: \`{ "one": { "key": "-----BEGIN PUBLIC KEY-----…", "names": ["one.example"] } }\`.

\`\`\`
node-attestation-controller --provider-package kubelet-authenticator-${name}=verifier.json …
countersign identity enroll worker-1 --provider-id ${name}:///one
countersign node join --provider ${name} --provider-settings node.json --node-name worker-1 --token-file token ADDRESS
\`\`\`

The kubelet starts \`kubelet-authenticator-${name}\` with \`--settings node.json\`, as the kubeconfig says that the join writes. While its certificate has
time, the provider is not even loaded; where the provider fails, the certificate that still works is presented.

Signers: \`cluster.x-k8s.io/kube-apiserver-client-kubelet-${name}\` and \`cluster.x-k8s.io/kubelet-serving-${name}\`.
`;
}
