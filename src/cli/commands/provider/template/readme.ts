// The README of a new provider.

/**
 * Of the two archives that `npm pack` makes while nothing is published. Without --no-save their paths would be in the provider's own
 * package.json, and the archive that it packs would install nowhere.
 */
export function installLine(version: string): string {
  return `npm install --no-save ../countersign-sdk-${version}.tgz ../countersign-${version}.tgz`;
}

export function readme(name: string, version: string): string {
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
