// The README of a new provider.

export function readme(name: string): string {
  return `# kubelet-authenticator-${name}

An attestation provider for Countersign: machines prove that they are machines of ${name} before a cluster signs their certificates.

| file | what it is |
| --- | --- |
| src/node.ts | the machine's end: provider ID and evidence |
| src/verifier.ts | the controller's end: gather, then judge |
| src/world.ts | one machine for the conformance suite |
| bin/kubelet-authenticator-${name}.js | the credential plugin that the kubelet starts |

\`\`\`
npm install
npm test               # builds, runs the conformance suite and the attacker's test
npm run conformance    # the suite alone, one line a check
\`\`\`

As written it proves possession of a key in a file. Put your platform's identity and proof in its place; whatever it is, it must
cover \`digest\`, and must be protected from replay by the challenge or by an end of its own within fifteen minutes.

Installed beside Countersign (\`npm install kubelet-authenticator-${name}\`), it is named where machines join and where they are judged:

\`\`\`
node-attestation-controller --provider-package kubelet-authenticator-${name}=verifier.json …
countersign identity enroll worker-1 --provider-id ${name}:///one
countersign node join --provider ${name} --provider-settings node.json --node-name worker-1 --token-file token ADDRESS
\`\`\`

Signers: \`cluster.x-k8s.io/kube-apiserver-client-kubelet-${name}\` and \`cluster.x-k8s.io/kubelet-serving-${name}\`.
`;
}
