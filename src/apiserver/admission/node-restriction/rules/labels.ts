// Which labels a node may set on itself: its own domain and everything outside Kubernetes' domains; never those by which
// the cluster tells trusted nodes from others. Behaviour of k8s.io/kubelet/pkg/apis/well_known_labels.go.

const KUBELET_LABELS: readonly string[] = [
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
];

type Labels = Readonly<Record<string, string>>;

/** Keys that are missing on one side or have another value there. */
export function changedLabels(next: Labels, current: Labels): readonly string[] {
  const keys = new Set([...Object.keys(next), ...Object.keys(current)]);
  const read = (labels: Labels, key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  return [...keys].filter((key) => read(next, key) !== read(current, key));
}

export function forbiddenLabels(keys: readonly string[]): readonly string[] {
  return keys.filter(isForbidden).sort();
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf("/");
  const domain = slash < 0 ? "" : key.slice(0, slash);
  if (isWithin(domain, "node-restriction.kubernetes.io")) return true;
  if (!isWithin(domain, "kubernetes.io") && !isWithin(domain, "k8s.io")) return false;
  if (KUBELET_LABELS.includes(key)) return false;
  return !isWithin(domain, "kubelet.kubernetes.io") && !isWithin(domain, "node.kubernetes.io");
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
