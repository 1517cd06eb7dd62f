import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aCsr } from "../../../test/builders/csr.ts";
import { anAuthority } from "../../../test/builders/csr-authority.ts";
import { createManualClock, type ManualClock } from "../../../test/fakes/clock.ts";
import type { Secret } from "../../api/core/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { ChangeHandler, Informer } from "../../platform/kube/index.ts";
import { type Log, silentLog } from "../../platform/report/index.ts";
import {
  type AuthorityPems,
  createAuthority,
  followAuthoritySecret,
  loadAuthorityFiles,
  readSecret,
} from "./authorities.ts";

const csr = aCsr();
let dir: string;
let clock: ManualClock;
let warnings: string[];
const log: Log = { ...silentLog, warn: (message) => void warnings.push(message) };

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "authorities-"));
  clock = createManualClock();
  warnings = [];
});
afterEach(() => rm(dir, { recursive: true }));

const files = () => ({ certFile: join(dir, "ca.crt"), keyFile: join(dir, "ca.key") });

async function save({ certPem, keyPem }: { certPem?: string; keyPem?: string }): Promise<void> {
  if (certPem !== undefined) await writeFile(files().certFile, certPem);
  if (keyPem !== undefined) await writeFile(files().keyFile, keyPem);
}

const serialOf = (pems: { certPem: string; keyPem: string }) => createAuthority(pems).certificate.publicKey.spki;

describe("a CA in files", () => {
  it("is refused at the start when the key is another's", async () => {
    await save({ certPem: anAuthority().certPem, keyPem: anAuthority().keyPem });
    await expect(loadAuthorityFiles(files(), { clock, log })).rejects.toThrow(/CA key does not belong/);
  });

  it("is exchanged when both files are new; in between, and with garbage, the old one stays", async () => {
    const [old, next] = [anAuthority(), anAuthority()];
    await save(old);
    const authorities = await loadAuthorityFiles(files(), { clock, log });
    const stop = new AbortController();
    const running = authorities.run?.(stop.signal);
    const look = async () => {
      await clock.untilSleeping(2);
      await clock.advance(1_000);
      await clock.untilSleeping(2);
      return authorities.of(csr).certificate.publicKey.spki;
    };
    await save({ certPem: next.certPem });
    expect(await look()).toEqual(serialOf(old));
    await save({ keyPem: next.keyPem });
    expect(await look()).toEqual(serialOf(next));
    await save({ certPem: "garbage" });
    expect(await look()).toEqual(serialOf(next));
    expect(warnings).toHaveLength(2);
    stop.abort();
    await running;
  });
});

describe("a CA in a Secret", () => {
  function aSecret(pems: { certPem: string; keyPem: string }, name = "ca"): Secret {
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    return {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "kube-system", name },
      type: "kubernetes.io/tls",
      data: { "tls.crt": base64(pems.certPem), "tls.key": base64(pems.keyPem) },
    };
  }

  it("is there as long as the Secret is; a spoiled one leaves the last good CA in use", () => {
    let tell: ChangeHandler<Secret> = () => undefined;
    const secrets = {
      onChange: (handler: ChangeHandler<Secret>) => {
        tell = handler;
        return () => undefined;
      },
    } as unknown as Informer<Secret>;
    const authorities = followAuthoritySecret({ secrets, namespace: "kube-system", name: "ca", log });
    expect(() => authorities.of(csr)).toThrow(expect.objectContaining({ code: "bad-config" }));
    expect(authorities.standing?.()).toEqual({ canSign: false, says: "the Secret kube-system/ca is not there" });
    const pems = anAuthority();
    tell({ type: "ADDED", object: aSecret({ certPem: pems.certPem, keyPem: anAuthority().keyPem }) });
    expect(authorities.standing?.()).toMatchObject({
      canSign: false,
      says: expect.stringMatching(/key does not belong/),
    });
    tell({ type: "ADDED", object: aSecret(anAuthority(), "another") });
    expect(() => authorities.of(csr)).toThrow(/no CA that can sign/);
    tell({ type: "ADDED", object: aSecret(pems) });
    expect(authorities.standing?.()).toEqual({ canSign: true, says: "usable" });
    tell({ type: "MODIFIED", object: aSecret({ certPem: "x", keyPem: "y" }) });
    expect(authorities.of(csr).certificate.publicKey.spki).toEqual(serialOf(pems));
    expect(authorities.standing?.()).toMatchObject({ canSign: true, says: expect.stringMatching(/last one stays/) });
    tell({ type: "DELETED", object: aSecret(pems) });
    expect(() => authorities.of(csr)).toThrow(/no CA that can sign/);
  });

  it("may hold several certificates, of which the key's own signs", () => {
    const [old, next] = [anAuthority(), anAuthority()];
    const bundle = { certPem: `${old.certPem}${next.certPem}`, keyPem: next.keyPem };
    expect(readSecret(aSecret(bundle)).certificate.publicKey.spki).toEqual(serialOf(next));
    const stranger = { ...bundle, keyPem: anAuthority().keyPem };
    expect(() => readSecret(aSecret(stranger))).toThrow(/the CA key belongs to none of the 2 certificates/);
  });

  it("tells whoever waits for it that it has come, and that it is another one", () => {
    let tell: ChangeHandler<Secret> = () => undefined;
    const onChange = (handler: ChangeHandler<Secret>) => {
      tell = handler;
      return () => undefined;
    };
    const secrets = { onChange } as unknown as Informer<Secret>;
    const authorities = followAuthoritySecret({ secrets, namespace: "kube-system", name: "ca", log });
    const told: string[] = [];
    authorities.onChange?.(() => told.push("changed"));
    tell({ type: "ADDED", object: aSecret({ certPem: "x", keyPem: "y" }) });
    expect(told).toEqual([]);
    tell({ type: "MODIFIED", object: aSecret(anAuthority()) });
    tell({ type: "MODIFIED", object: aSecret(anAuthority()) });
    expect(told).toEqual(["changed", "changed"]);
  });
});

const good = anAuthority();

const REFUSED: Record<string, AuthorityPems> = {
  "the key of another CA": { certPem: good.certPem, keyPem: anAuthority().keyPem },
  "two certificates": { ...good, certPem: good.certPem + anAuthority().certPem },
  "no certificate": { ...good, certPem: "" },
  "a key in the certificate's file": { ...good, certPem: good.keyPem },
  "a certificate that is no CA": anAuthority({ ca: false }),
};

describe("the authority", () => {
  it.each(["P-256", "P-384", "RSA-2048", "Ed25519"] as const)("is made of a %s CA and its key", (kind) => {
    expect(createAuthority(anAuthority({ kind })).certificate.subject.commonName).toBe("kubernetes");
  });

  it.each(Object.entries(REFUSED))("is not made of %s", (_, pems) => {
    let failure: unknown;
    try {
      createAuthority(pems);
    } catch (error) {
      failure = error;
    }
    expect(isFault(failure, "bad-config")).toBe(true);
  });
});
