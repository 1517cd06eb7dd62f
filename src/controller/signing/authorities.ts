// Which authority signs for which request, and where authorities come from: given once, followed in files (an operator
// renews the CA), or in a Secret. A pair that does not fit is a fault at the start, and later a warning: what was good
// stays in use until the new one is.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Secret } from "../../api/core/index.ts";
import { equalBytes, parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { encodePem, type PemBlock, parsePem } from "../../kernel/pem/index.ts";
import { type Certificate, parseCertificate, type Signer } from "../../kernel/x509/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { followFile, loadText } from "../../platform/files/index.ts";
import { parsePrivateKey } from "../../platform/keys/index.ts";
import type { Informer } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";

export interface Authorities {
  /** Fault `bad-config` when there is none for this request at present: it is tried again. */
  of(csr: CertificateSigningRequest): Authority;
  /** Follows where they come from until the signal aborts. */
  run?(signal: AbortSignal): Promise<void>;
  /** Left out: what was given at the start is all there is. */
  standing?(): AuthorityStanding;
  /** There is another one, or one at last: requests that wait for a certificate need not wait for the next look. */
  onChange?(handler: () => void): void;
}

/** Stands for every request of the cluster, where its CA is asked for without one. */
export const ANY_REQUEST: CertificateSigningRequest = {
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: {},
  spec: { request: "", signerName: "", usages: [] },
};

export interface AuthorityStanding {
  /** Requests can be signed, be it with the last CA that was good. */
  readonly canSign: boolean;
  readonly says: string;
}

const GOOD: AuthorityStanding = { canSign: true, says: "usable" };

function lastOneStays(error: unknown): AuthorityStanding {
  return { canSign: true, says: `the last one stays in use, the new one cannot be: ${messageOf(error)}` };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function fixedAuthority(pems: AuthorityPems): Authorities {
  const authority = createAuthority(pems);
  return { of: () => authority };
}

interface FollowOptions {
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
  let standing = GOOD;
  const changed: (() => void)[] = [];
  const change = (part: Partial<AuthorityPems>) => {
    Object.assign(present, part);
    authority = createAuthority(present);
    standing = GOOD;
    log.info("the CA was read again", { subject: authority.certificate.subject.commonName });
    for (const tell of changed) tell();
  };
  const follow = (path: string, known: string, onChange: (content: string) => void, signal: AbortSignal) =>
    followFile(path, known, {
      clock,
      signal,
      onChange,
      onTrouble: (error) => {
        standing = lastOneStays(error);
        log.warn("the new CA is not used yet, the last one stays", { path, error });
      },
    });
  return {
    of: () => authority,
    standing: () => standing,
    onChange: (handler) => void changed.push(handler),
    run: async (signal) => {
      await Promise.all([
        follow(certFile, certPem, (content) => change({ certPem: content }), signal),
        follow(keyFile, keyPem, (content) => change({ keyPem: content }), signal),
      ]);
    },
  };
}

interface SecretAuthorityOptions {
  /**
   * Follows the one Secret, of type kubernetes.io/tls: tls.crt, tls.key. Cluster API's `<cluster>-ca` has that form.
   */
  readonly secrets: Informer<Secret>;
  readonly namespace: string;
  readonly name: string;
  readonly log: Log;
}

/** There is none until the Secret has been seen, and none after it was deleted. */
export function followAuthoritySecret({ secrets, namespace, name, log }: SecretAuthorityOptions): Authorities {
  const where = `${namespace}/${name}`;
  const absent: AuthorityStanding = { canSign: false, says: `the Secret ${where} is not there` };
  const changed: (() => void)[] = [];
  let authority: Authority | undefined;
  let standing = absent;

  function take(secret: Secret): void {
    try {
      authority = readSecret(secret);
      standing = GOOD;
      log.info("the CA was read from its Secret", {
        namespace,
        name,
        subject: authority.certificate.subject.commonName,
      });
      for (const tell of changed) tell();
    } catch (error) {
      if (!isFault(error)) throw error;
      log.error("a Secret holds no CA that can sign", { namespace, name, error });
      standing =
        authority === undefined
          ? { canSign: false, says: `the Secret ${where} holds no CA that can sign: ${error.message}` }
          : lastOneStays(error);
    }
  }

  secrets.onChange(({ type, object }) => {
    if (object.metadata.name !== name || object.metadata.namespace !== namespace) return;
    if (type !== "DELETED") return take(object);
    log.error("the Secret with the CA was deleted", { namespace, name });
    authority = undefined;
    standing = absent;
  });
  return {
    standing: () => standing,
    onChange: (handler) => void changed.push(handler),
    of: () => {
      if (authority === undefined) throw new Fault("bad-config", `the Secret ${where} holds no CA that can sign`);
      return authority;
    },
  };
}

/**
 * Fault `bad-config` for a key that does not fit its certificate: for the start, before any request waits for a
 * certificate.
 */
export function readSecret({ data }: Secret): Authority {
  const [certPem = "", keyPem = ""] = ["tls.crt", "tls.key"].map((key) => parseUtf8(parseBase64(data?.[key] ?? "")));
  const bundle = parsePem(certPem);
  return createAuthority({ certPem: bundle.length > 1 ? ownOf(bundle, keyPem) : certPem, keyPem });
}

/**
 * While Cluster API's CA is exchanged, its Secret holds the old certificate and the new one: the key's own is the one
 * that signs.
 */
function ownOf(bundle: readonly PemBlock[], keyPem: string): string {
  const { publicKey } = parsePrivateKey(keyPem).signer;
  const own = bundle.find(
    ({ label, bytes }) => label === "CERTIFICATE" && equalBytes(parseCertificate(bytes).publicKey.spki, publicKey),
  );
  if (own !== undefined) return encodePem(own.label, own.bytes);
  throw new Fault("bad-config", `the CA key belongs to none of the ${bundle.length} certificates`);
}

// The authority: one CA certificate and the key that belongs to it. A mismatch is found here, when the controller
// starts, and not at the first join.
export interface AuthorityPems {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface Authority {
  readonly certificate: Certificate;
  readonly signer: Signer;
}

export function createAuthority({ certPem, keyPem }: AuthorityPems): Authority {
  const blocks = parsePem(certPem);
  const [block, ...others] = blocks;
  if (block === undefined || others.length > 0 || block.label !== "CERTIFICATE") {
    throw new Fault("bad-config", `the CA file holds ${blocks.length} PEM blocks, expected exactly one certificate`);
  }
  const certificate = parseCertificate(block.bytes);
  const maySign = certificate.keyUsage === undefined || certificate.keyUsage.includes("keyCertSign");
  if (certificate.basicConstraints?.ca !== true || !maySign) {
    throw new Fault("bad-config", "the CA certificate may not sign certificates");
  }
  const { signer } = parsePrivateKey(keyPem);
  if (!equalBytes(signer.publicKey, certificate.publicKey.spki)) {
    throw new Fault("bad-config", "the CA key does not belong to the CA certificate");
  }
  return { certificate, signer };
}
