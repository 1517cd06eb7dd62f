// The CA of one workload cluster, as Cluster API keeps it: Secret `<cluster>-ca` beside the Cluster, on the management
// cluster. A controller that was given the CA of one cluster and the address of another would sign for strangers, and
// its nodes would find out at their first call; so the CA is held against what the API server of the requests
// publishes: whose client certificates it takes.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { ConfigMap } from "../../api/core/index.ts";
import { equalBytes } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { parsePem } from "../../kernel/pem/index.ts";
import { parseCertificate } from "../../kernel/x509/index.ts";
import type { Informer } from "../../platform/kube/index.ts";
import type { Authority } from "./authorities.ts";
import { ANY_REQUEST, type Authorities, type AuthorityStanding } from "./authorities.ts";

interface ClusterPlace {
  readonly namespace: string;
  readonly name: string;
}

/** Its keys are tls.crt and tls.key. */
export function clusterCaSecret({ namespace, name }: ClusterPlace): ClusterPlace {
  return { namespace, name: `${name}-ca` };
}

/** Every kube-apiserver keeps it up to date with its --client-ca-file. */
export const TRUST_CONFIG_MAP = { namespace: "kube-system", name: "extension-apiserver-authentication" } as const;
const TRUST_KEY = "client-ca-file";

interface OwnCaOptions {
  readonly authorities: Authorities;
  /** Follows `TRUST_CONFIG_MAP` in the cluster of the requests. */
  readonly trust: Pick<Informer<ConfigMap>, "onChange" | "hasSynced">;
}

/** The same authorities, as far as the cluster of the requests takes them for its own. */
export function onlyOwnCa({ authorities, trust }: OwnCaOptions): Authorities {
  let keys: readonly Uint8Array[] | undefined;
  /** Signing asks for every request; the answer changes with either side only. */
  let checked: { readonly authority: Authority; readonly keys: unknown } | undefined;
  // Deleted, it says nothing, and what it said before stands: the API server writes it anew within a minute.
  trust.onChange(({ type, object }) => {
    if (type !== "DELETED") keys = keysIn(object.data?.[TRUST_KEY] ?? "");
  });

  function objectionTo(authority: Authority): string | undefined {
    if (!trust.hasSynced()) return UNREAD;
    // A server that publishes nothing cannot be compared with: the embedded one is given its CA in the same process.
    if (keys === undefined || (checked?.authority === authority && checked.keys === keys)) return undefined;
    const { spki } = authority.certificate.publicKey;
    if (!keys.some((key) => equalBytes(key, spki))) {
      return (
        "the CA is that of another cluster: the API server of the requests takes no client certificates of it; give the one " +
        "that its --client-ca-file has, with --ca-cert and --ca-key or where the Secret lies; where a gateway before it judges " +
        "client certificates: --ca-is-trusted-elsewhere"
      );
    }
    checked = { authority, keys };
    return undefined;
  }

  return {
    ...authorities,
    of: (csr: CertificateSigningRequest) => {
      const authority = authorities.of(csr);
      const objection = objectionTo(authority);
      if (objection !== undefined) throw new Fault("bad-config", objection);
      return authority;
    },
    standing: () => standingOf(authorities, objectionTo),
    onChange: (handler) => {
      authorities.onChange?.(handler);
      trust.onChange(handler);
    },
  };
}

function standingOf(
  authorities: Authorities,
  objectionTo: (authority: Authority) => string | undefined,
): AuthorityStanding {
  const standing = authorities.standing?.() ?? { canSign: true, says: "usable" };
  if (!standing.canSign) return standing;
  const objection = objectionTo(authorities.of(ANY_REQUEST));
  return objection === undefined ? standing : { canSign: false, says: objection };
}

const UNREAD =
  "it is not known yet whose client certificates the API server of the requests takes: ConfigMap kube-system/" +
  "extension-apiserver-authentication is not read. Should that last, bind the Role extension-apiserver-authentication-reader " +
  "in kube-system to the controller (deploy/controller-rbac.yaml does)";

/** A bundle: an old CA may stand beside the new one. What cannot be read is not trusted. */
function keysIn(bundle: string): readonly Uint8Array[] {
  return parsePem(bundle).flatMap(({ label, bytes }) => {
    if (label !== "CERTIFICATE") return [];
    try {
      return [parseCertificate(bytes).publicKey.spki];
    } catch (error) {
      if (isFault(error)) return [];
      throw error;
    }
  });
}
