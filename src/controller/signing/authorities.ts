// Which authority signs for which request, and where authorities come from: given once, followed in files (somebody renews
// the CA), or in a Secret. A pair that does not fit is a fault at the start, and later a warning: what was good stays in use
// until the new one is.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Secret } from "../../api/core/index.ts";
import { parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { followFile, nodeFileSystem } from "../../platform/files/index.ts";
import type { Informer } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import { type Authority, type AuthorityPems, createAuthority } from "./authority.ts";

export interface Authorities {
  /** Fault `bad-config` when there is none for this request at present: it is tried again. */
  of(csr: CertificateSigningRequest): Authority;
  /** Follows where they come from until the signal aborts. */
  run?(signal: AbortSignal): Promise<void>;
}

export function fixedAuthority(pems: AuthorityPems): Authorities {
  const authority = createAuthority(pems);
  return { of: () => authority };
}

export interface FollowOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** Reads both files now; they are looked at every second. Renewed one after the other, they do not fit in between. */
export async function loadAuthorityFiles(
  { certFile, keyFile }: { readonly certFile: string; readonly keyFile: string },
  { clock, log }: FollowOptions,
): Promise<Authorities> {
  const [certPem, keyPem] = await Promise.all([loadText(certFile), loadText(keyFile)]);
  const present = { certPem, keyPem };
  let authority = createAuthority(present);
  const change = (part: Partial<AuthorityPems>) => {
    Object.assign(present, part);
    authority = createAuthority(present);
    log.info("the CA was read again", { subject: authority.certificate.subject.commonName });
  };
  const follow = (path: string, known: string, onChange: (content: string) => void, signal: AbortSignal) =>
    followFile(path, known, {
      clock,
      signal,
      onChange,
      onTrouble: (error) => log.warn("the new CA is not used yet, the last one stays", { path, error }),
    });
  return {
    of: () => authority,
    run: async (signal) => {
      await Promise.all([
        follow(certFile, certPem, (content) => change({ certPem: content }), signal),
        follow(keyFile, keyPem, (content) => change({ keyPem: content }), signal),
      ]);
    },
  };
}

async function loadText(path: string): Promise<string> {
  return (await nodeFileSystem.read(path)).toString("utf8");
}

export interface SecretAuthorityOptions {
  /** Follows the one Secret, of type kubernetes.io/tls: tls.crt, tls.key. Cluster API's `<cluster>-ca` has that form. */
  readonly secrets: Informer<Secret>;
  readonly namespace: string;
  readonly name: string;
  readonly log: Log;
}

/** There is none until the Secret has been seen, and none after it was deleted. */
export function followAuthoritySecret({ secrets, namespace, name, log }: SecretAuthorityOptions): Authorities {
  const where = `${namespace}/${name}`;
  let authority: Authority | undefined;
  secrets.onChange(({ type, object }) => {
    if (object.metadata.name !== name || object.metadata.namespace !== namespace) return;
    if (type === "DELETED") authority = undefined;
    else authority = readSecret(object, log) ?? authority;
  });
  return {
    of: () => {
      if (authority === undefined) throw new Fault("bad-config", `the Secret ${where} holds no CA that can sign`);
      return authority;
    },
  };
}

function readSecret(secret: Secret, log: Log): Authority | undefined {
  const { name, namespace } = secret.metadata;
  try {
    const [certPem, keyPem] = ["tls.crt", "tls.key"].map((key) => parseUtf8(parseBase64(secret.data?.[key] ?? "")));
    return createAuthority({ certPem: certPem ?? "", keyPem: keyPem ?? "" });
  } catch (error) {
    if (!isFault(error)) throw error;
    log.warn("a Secret holds no CA that can sign", { namespace, name, error });
    return undefined;
  }
}

/** One authority for each workload cluster; `clusterOf` names the cluster of a request, or none. */
export function authorityPerCluster(
  clusterOf: (csr: CertificateSigningRequest) => string | undefined,
  authorities: (cluster: string) => Authorities | undefined,
): Authorities {
  return {
    of: (csr) => {
      const cluster = clusterOf(csr);
      const found = cluster === undefined ? undefined : authorities(cluster);
      if (found !== undefined) return found.of(csr);
      throw new Fault(
        "bad-config",
        `there is no CA for ${cluster === undefined ? "a request of no cluster" : `cluster ${cluster}`}`,
      );
    },
  };
}
