// Which of several versions of a group comes first, in discovery and as the preferred one: v2 > v1 > v1beta2 > v1beta1
// > v1alpha1 > anything else by name. Behaviour of k8s.io/apimachinery/pkg/version/helpers.go.

const KUBE_VERSION = /^v([1-9]\d{0,8})(?:(alpha|beta)([1-9]\d{0,8}))?$/;
const STABILITY: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };
const STABLE = 2;

/** Sorts the more important first. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [KUBE_VERSION.exec(left), KUBE_VERSION.exec(right)];
  if (a === null || b === null) return Number(a === null) - Number(b === null) || byName(left, right);
  return stabilityOf(b) - stabilityOf(a) || Number(b[1]) - Number(a[1]) || Number(b[3] ?? 0) - Number(a[3] ?? 0);
}

function stabilityOf([, , word]: RegExpExecArray): number {
  return word === undefined ? STABLE : (STABILITY[word] ?? 0);
}

function byName(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
