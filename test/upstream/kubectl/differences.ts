// Where the embedded server and a real one may say different things to kubectl, and why. A step names what applies to
// it; everything else must be the same, word for word.

interface Difference {
  readonly reason: string;
  /** Takes out of canonical output what differs, on both sides. */
  readonly hide: (output: string) => string;
}

const remove =
  (...patterns: readonly RegExp[]) =>
  (output: string): string =>
    patterns.reduce((text, pattern) => text.replace(pattern, ""), output);

export const DIFFERENCES = {
  "kinds served": {
    reason:
      "fewer kinds are served, and so fewer lines are shown; those that are shown are compared in a test of their own",
    hide: () => "",
  },
  "certificates served": {
    reason: "of this group only CertificateSigningRequest is served",
    hide: (output) =>
      output
        .split("\n")
        .filter((line) => line.startsWith("certificatesigningrequests"))
        .join("\n"),
  },
  "quotas and limits": {
    reason: "ResourceQuota and LimitRange are not served, and kubectl leaves out what it cannot list",
    hide: remove(/\n+No resource quota\.\n+No LimitRange resource\./),
  },
  descriptions: {
    reason:
      "the sentences about fields are Kubernetes' own; names, types and the mark of required fields are the contract",
    hide: (output) =>
      output
        .split("\n")
        .filter((line) => /^(GROUP|KIND|VERSION|FIELD|RESOURCE)|^\s*\w+\s<.+>/.test(line))
        .map((line) => line.trim())
        .join("\n"),
  },
  "version of the server": { reason: "each has its own", hide: () => "" },
  "name of the administrator": {
    reason: "kubeadm and `countersign up` call theirs differently, and put them into different groups",
    hide: (output) =>
      remove(
        /^.*credential-id.*\n(.*X509SHA256.*\n)?/gm,
        /^ extra:\n/gm,
      )(
        output
          .replace(/kubernetes-admin|countersign-admin/g, "<admin>")
          .replace(/kubeadm:cluster-admins|system:masters/g, "<admins>"),
      ),
  },
  "id of the credential": {
    reason: "the digest of a certificate or the id of a token",
    hide: remove(/^.*credential-id.*$/gm),
  },
  "order of rules": {
    reason: "on a real server it is that of a map and changes from call to call",
    hide: (output) => output.split("\n").sort().join("\n"),
  },
  "protection of volumes": {
    reason:
      "the finalizers of StorageObjectInUseProtection would never be taken away here: no controller knows what is mounted",
    hide: remove(/^ finalizers:\n - kubernetes\.io\/pvc?-protection\n/gm),
  },
  "taint of new nodes": {
    reason: "TaintNodesByCondition keeps pods off a node until it was seen Ready; here nobody schedules",
    hide: remove(/\n node\.kubernetes\.io\/not-ready:NoSchedule/),
  },
  "reason of a failed patch": {
    reason: "the embedded server says which operation failed, a real one does not",
    hide: (output) => output.replace(/(due to an error in our request).*/, "$1"),
  },
  "fields of pods that may change": {
    reason: "a real server appends the difference of the two pods as Go prints it",
    hide: (output) => output.split("\n")[0] ?? "",
  },
  "words for what is gone": {
    reason: "discovery is cached by kubectl and refreshed in the background by a real server",
    hide: () => "",
  },
} satisfies Readonly<Record<string, Difference>>;

export type DifferenceName = keyof typeof DIFFERENCES;

export function hideDifferences(output: string, names: readonly DifferenceName[] = []): string {
  const differences: readonly Difference[] = names.map((name) => DIFFERENCES[name]);
  return differences.reduce((text, { hide }) => hide(text), output);
}
