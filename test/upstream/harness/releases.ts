// Of which release of Kubernetes the programs are that the harness starts. The projects of vitest.upstream.config.ts
// say it in the environment, for all of their files; everything else is of the present release.

import { locateBinary, RELEASES } from "../assets/binaries.mjs";

type BinaryName = Parameters<typeof locateBinary>[0];
type Release = (typeof RELEASES)[number];

/** The programs whose age can be chosen. */
const VARIABLES: ReadonlyMap<BinaryName, string> = new Map([
  ["kube-apiserver", "COUNTERSIGN_KUBE_APISERVER"],
  ["kubelet", "COUNTERSIGN_KUBELET"],
]);

/** The program that tests of this project run. */
export function binaryOf(name: BinaryName): ReturnType<typeof locateBinary> {
  return locateBinary(name, releaseOf(name));
}

function releaseOf(name: BinaryName): Release {
  const variable = VARIABLES.get(name);
  const word = variable === undefined ? undefined : process.env[variable];
  if (word === undefined) return "present";
  const release = RELEASES.find((known) => known === word);
  if (release === undefined) throw new Error(`${variable} is ${word}; it must be one of ${RELEASES.join(", ")}`);
  return release;
}
