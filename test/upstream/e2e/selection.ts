// Which of Kubernetes' own end-to-end tests the embedded server is held to, and why not the others. tests.txt names
// those that run: they must pass, or, under a reason, fail. Every other test is left out for the first reason here that
// fits it.

import { readFileSync } from "node:fs";

interface Section {
  readonly title: string;
  readonly names: readonly string[];
}

const SECTIONS = readSections(readFileSync(new URL("tests.txt", import.meta.url), "utf8"));

/** `# title` and the names below it. */
function readSections(text: string): readonly Section[] {
  return text
    .split(/^# /m)
    .slice(1)
    .map((section) => {
      const [title = "", ...names] = section.split("\n").filter((line) => line !== "");
      return { title, names };
    });
}

/** They concern only kinds that are served, need no container, and pass on a real kube-apiserver without a kubelet. */
export const HELD: readonly string[] = SECTIONS.filter(({ title }) => title === "held").flatMap(({ names }) => names);

/** The same, but they fail here: name -> why. */
export const FAILING: Readonly<Record<string, string>> = Object.fromEntries(
  SECTIONS.filter(({ title }) => title !== "held").flatMap(({ title, names }) => names.map((name) => [name, title])),
);

interface Upstream {
  /** Below test/e2e. */
  readonly file: string;
  readonly name: string;
}

interface LeftOut {
  readonly reason: string;
  readonly files?: RegExp;
  readonly names?: RegExp;
}

const NOT_SERVED =
  "about a kind that is not served: workloads, quotas, policies, ingresses, admission, other API servers";
const CONTAINERS = "waits for a container, a kubelet, a scheduler or a volume";
const CONTROLLERS = "waits for a controller that does not run here: endpoints of pods, volumes";
const ELSEWHERE = "needs a cloud, Windows, a feature that is off by default, or a way to break the machine it runs on";
const FLAKY = "marked as flaky by its authors: kubectl does not always ask again what is served";

const LEFT_OUT: readonly LeftOut[] = [
  { reason: FLAKY, names: /\[Flaky\]/ },
  { reason: ELSEWHERE, names: /\[Disruptive\]|\[Feature:OffByDefault\]|\[Feature:CBOR\]|StorageVersionAPI/ },
  { reason: ELSEWHERE, files: /^(?:cloud|windows|architecture|instrumentation\/logging)\// },
  { reason: NOT_SERVED, files: /^(?:apps|autoscaling|network\/(?:ingress|netpol|service_cidrs|dns_configmap))/ },
  {
    reason: NOT_SERVED,
    files:
      /^apimachinery\/(?:.*webhook|.*admissionpolicy|aggregator|chunking|crd_selectable|flowcontrol|resource_quota)/,
  },
  {
    reason: NOT_SERVED,
    files: /^(?:scheduling\/limit_range|common\/node\/podtemplates|storage\/(?:csistorage|volumeattr))/,
  },
  {
    reason: NOT_SERVED,
    names:
      /Aggregat|cronjob|CronJob|cronJob|\brc\b|\bRS\b|\bRC\b|[Dd]eployment|[Qq]uota|componentstatuses|APIGroup|DeviceClass|ClaimTemplate|missing resources|chunks of table|AdmissionPolicy|replication controller|applyset|both valid owner|client-side|v1alpha1|v1beta1/,
  },
  // They try it on a Deployment, or on all kinds of workloads.
  {
    reason: NOT_SERVED,
    names: /ServerSideApply should|of a typed object|last-applied|Kubectl delete interactive|cluster-info dump/,
  },
  { reason: CONTROLLERS, files: /^(?:network\/endpoint|storage\/(?:pv|pvc)_)/ },
  {
    reason: CONTAINERS,
    files: /^(?:auth|common|dra|instrumentation|invariants|kubectl|network|node|scheduling|storage)\//,
  },
  { reason: CONTAINERS, names: /all pods are removed|delete pod first|Generated clientset should create pods/ },
];

/** Undefined for a test that nobody has thought of: one that a new version of Kubernetes brings. */
export function reasonFor({ file, name }: Upstream): string | undefined {
  const fits = ({ files, names }: LeftOut) => (files?.test(file) ?? true) && (names?.test(name) ?? true);
  return LEFT_OUT.find(fits)?.reason;
}
