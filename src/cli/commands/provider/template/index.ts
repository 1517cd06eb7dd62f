// Every file of a new provider, by its path.
import { verifierSide } from "./controller-side.ts";
import { nodeSide, program, statement } from "./machine-side.ts";
import { compilerSettings, manifest } from "./manifest.ts";
import { test, world } from "./proof.ts";
import { readme } from "./readme.ts";

export { installLine } from "./readme.ts";

export interface TemplateFile {
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
