// The boot sequence of KEP-266, pure. In order: the manager's own pair · pair data in the kubeconfig · pair files named
// by the kubeconfig · a bootstrap credential that requests the first pair. A pair counts when it is this node's and has
// not expired; one of another name in the kubeconfig is a bootstrap certificate, which may only request.

export type PairSource = "store" | "old-files" | "kubeconfig-data" | "kubeconfig-files";

export type BootPlan =
  | { readonly kind: "use"; readonly source: PairSource; readonly renewAtOnce: boolean }
  | { readonly kind: "bootstrap"; readonly with: "bootstrap-kubeconfig" | "kubeconfig"; readonly why: string }
  | { readonly kind: "stop"; readonly why: string };

export function planBoot(facts: BootFacts): BootPlan {
  const places = placesOf(facts);
  const chosen = places.find(([, pair]) => worth(pair, facts) === undefined);
  if (chosen !== undefined) {
    // As kubelet: renew at once. The pair is as old as the kubeconfig, and no other program renews it.
    return { kind: "use", source: chosen[0], renewAtOnce: chosen[0] === "kubeconfig-data" };
  }
  const why = [
    ...places.map(([source, pair]) => `${WORDS[source]} ${worth(pair, facts)}`),
    ...kubeconfigTrouble(facts),
  ];
  if (facts.hasBootstrapKubeconfig) return { kind: "bootstrap", with: "bootstrap-kubeconfig", why: why.join("; ") };
  if (canAsk(facts)) return { kind: "bootstrap", with: "kubeconfig", why: why.join("; ") };
  return { kind: "stop", why: why.join("; ") };
}

const WORDS: Readonly<Record<PairSource, string>> = {
  store: "the store's pair",
  "old-files": "kubelet-client.crt",
  "kubeconfig-data": "the kubeconfig's pair",
  "kubeconfig-files": "the pair in the kubeconfig's files",
};

function placesOf({ store, oldFiles, kubeconfig }: BootFacts): readonly (readonly [PairSource, FoundPair])[] {
  const own = [["store", store] as const, ["old-files", oldFiles] as const];
  if (kubeconfig.kind !== "read") return own;
  return [...own, ["kubeconfig-data", kubeconfig.inData], ["kubeconfig-files", kubeconfig.inFiles]];
}

/** Undefined when it can be used; else what is wrong with it. */
function worth(pair: FoundPair, { commonName, nowMs }: BootFacts): string | undefined {
  if (pair.kind === "absent") return "is not there";
  if (pair.kind === "damaged") return `is unusable (${pair.why})`;
  if (pair.commonName !== commonName) return `is of ${JSON.stringify(pair.commonName)}, not of ${commonName}`;
  return nowMs < pair.notAfterMs ? undefined : `expired at ${new Date(pair.notAfterMs).toISOString()}`;
}

function kubeconfigTrouble({ kubeconfig }: BootFacts): readonly string[] {
  if (kubeconfig.kind === "absent") return ["there is no kubeconfig"];
  return kubeconfig.kind === "unusable" ? [`the kubeconfig is unusable (${kubeconfig.why})`] : [];
}

/** A token, or a certificate of another user: what a provisioner leaves for a first start. */
function canAsk(facts: BootFacts): boolean {
  const { kubeconfig, commonName, nowMs } = facts;
  if (kubeconfig.kind !== "read") return false;
  const pairs = [kubeconfig.inData, kubeconfig.inFiles];
  const isBootstrap = (pair: FoundPair) =>
    pair.kind === "present" && pair.commonName !== commonName && nowMs < pair.notAfterMs;
  return kubeconfig.hasToken || pairs.some(isBootstrap);
}

/** A pair as far as the decision needs it. */
export type FoundPair =
  | { readonly kind: "absent" }
  | { readonly kind: "damaged"; readonly why: string }
  | { readonly kind: "present"; readonly commonName: string; readonly notAfterMs: number };

export type FoundKubeconfig =
  | { readonly kind: "absent" }
  | { readonly kind: "unusable"; readonly why: string }
  | {
      readonly kind: "read";
      /** Certificate and key in the file itself. */
      readonly inData: FoundPair;
      /** In files that it names, other than the store's own. */
      readonly inFiles: FoundPair;
      readonly hasToken: boolean;
    };

/** Everything the boot sequence decides on: which credentials exist, and in which state. */
export interface BootFacts {
  /** `system:node:<name>`. */
  readonly commonName: string;
  readonly nowMs: number;
  /** What the certificate manager keeps itself. */
  readonly store: FoundPair;
  /** kubelet's older names for it: kubelet-client.crt and kubelet-client.key. */
  readonly oldFiles: FoundPair;
  readonly kubeconfig: FoundKubeconfig;
  readonly hasBootstrapKubeconfig: boolean;
}
