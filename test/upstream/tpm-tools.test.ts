// Our codec and tpm2-tools on one software TPM: quotes made by each are verified by the other, credentials made by each
// are opened by the other; with RSA and ECC endorsement and attestation keys. Skips, and says so, where the tools are
// missing.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { concatBytes, encodeHex, parseHex } from "../../src/kernel/bytes/index.ts";
import { encodePem } from "../../src/kernel/pem/index.ts";
import { makeCredentialOnTpm } from "../../src/kernel/tpm/commands/attestation.ts";
import { loadExternal, readPublic } from "../../src/kernel/tpm/commands/objects.ts";
import { pcrExtend } from "../../src/kernel/tpm/commands/pcr.ts";
import {
  AK_TEMPLATES,
  ALGORITHM,
  activateCredential,
  type Credential,
  createPrimary,
  EK_TEMPLATES,
  type EkTemplateName,
  HANDLE,
  type LoadedKey,
  makeCredential,
  nameOf,
  parsePublicArea,
  parseQuote,
  parseTpmSignature,
  pcrDigestOf,
  policySecret,
  publicKeyOf,
  qualifiedNameOfPrimary,
  quote,
  startPolicySession,
  verifyTpmSignature,
} from "../../src/kernel/tpm/index.ts";
import { encodePublicArea } from "../../src/kernel/tpm/public-area.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import { openTpm, readPcrs, type Tpm, withHandle, withSession } from "../../src/platform/tpm/index.ts";
import { missingTools, type Swtpm, startSwtpm } from "../builders/swtpm.ts";
import { credentialRandomness } from "../builders/tpm-exchange.ts";
import { notRun } from "../not-run.ts";

const missing = missingTools("swtpm", "tpm2_quote", "tpm2_makecredential", "tpm2_checkquote");

const PCRS = [0, 1, 2, 3, 4, 5, 6, 7, 16];
const SECRET = parseHex("a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf");

describe.skipIf(notRun("our codec and tpm2-tools", missing))("our codec and tpm2-tools", () => {
  let swtpm: Swtpm;
  beforeAll(async () => {
    swtpm = await startSwtpm({ certificates: true });
  });
  afterAll(() => swtpm.stop());

  const file = (name: string) => join(swtpm.directory, name);

  function tool(...args: readonly string[]): string {
    const [command = "", ...rest] = args;
    const env = { ...process.env, TPM2TOOLS_TCTI: swtpm.tcti };
    const run = spawnSync(command, rest, { encoding: "utf8", env, cwd: swtpm.directory });
    if (run.status !== 0) throw new Error(`${args.join(" ")}: ${run.stderr}`);
    return run.stdout;
  }
  /** swtpm serves one client at a time: ours is closed before tpm2-tools come. */
  async function ours<T>(use: (tpm: Tpm) => Promise<T>): Promise<T> {
    const tpm = await openTpm(swtpm.address, { clock: systemClock, timeoutMs: 30_000 });
    try {
      return await use(tpm);
    } finally {
      await tpm.close();
    }
  }
  function flushTools(): void {
    for (const kind of ["-t", "-l", "-s"]) tool("tpm2_flushcontext", kind);
  }

  const withAk = <T>(tpm: Tpm, kind: "ecc" | "rsa", use: (ak: LoadedKey) => Promise<T>) =>
    withHandle(tpm, createPrimary(HANDLE.endorsement, AK_TEMPLATES[kind]), use);

  async function activate(
    tpm: Tpm,
    keys: { ak: LoadedKey; ek: LoadedKey; needsPolicy: boolean },
    credential: Credential,
  ) {
    const handles = { attestationKey: keys.ak.handle, endorsementKey: keys.ek.handle, credential };
    if (!keys.needsPolicy) return tpm.send(activateCredential(handles));
    return withSession(tpm, startPolicySession(new Uint8Array(16)), async (session) => {
      await tpm.send(policySecret(HANDLE.endorsement, session));
      return tpm.send(activateCredential({ ...handles, session }));
    });
  }

  it.each(["ecc", "rsa"] as const)(
    "a quote of ours (%s) is verified by tpm2_checkquote and by our code",
    async (kind) => {
      const nonce = randomBytes(32);
      const { ak, quoted, values } = await ours(async (tpm) => {
        await tpm.send(pcrExtend(16, ALGORITHM.sha256, randomBytes(32)));
        return withAk(tpm, kind, async (ak) => {
          const qualified = (await tpm.send(readPublic(ak.handle))).qualifiedName;
          expect(encodeHex(qualified)).toBe(encodeHex(qualifiedNameOfPrimary(ak.publicArea, HANDLE.endorsement)));
          const selections = [{ hash: ALGORITHM.sha256, pcrs: PCRS }];
          const quoted = await tpm.send(quote({ key: ak.handle, extraData: nonce, selections }));
          return { ak, quoted, values: await readPcrs(tpm, ALGORITHM.sha256, PCRS) };
        });
      });
      expect(verifyTpmSignature(ak.publicArea, parseTpmSignature(quoted.signature), quoted.attest)).toBe(true);
      expect(encodeHex(pcrDigestOf(values, ALGORITHM.sha256))).toBe(encodeHex(parseQuote(quoted.attest).pcrDigest));
      writeFileSync(file("ak.pem"), encodePem("PUBLIC KEY", publicKeyOf(ak.publicArea).spki));
      writeFileSync(file("quote.msg"), quoted.attest);
      writeFileSync(file("quote.sig"), quoted.signature);
      const check = ["tpm2_checkquote", "-u", "ak.pem", "-m", "quote.msg", "-s", "quote.sig", "-g", "sha256", "-q"];
      tool(...check, encodeHex(nonce));
      expect(() => tool(...check, encodeHex(randomBytes(32)))).toThrow();
    },
  );

  it.each([
    ["ecc", "ecdsa"],
    ["rsa", "rsassa"],
  ])("a quote of tpm2_quote (%s) is verified by our code", async (algorithm, scheme) => {
    const nonce = encodeHex(randomBytes(20));
    tool("tpm2_createprimary", "-C", "e", "-G", algorithm === "ecc" ? "ecc256" : "rsa2048", "-c", "p.ctx");
    const attributes = "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|restricted|sign";
    const kind = algorithm === "ecc" ? "ecc256" : "rsa2048";
    tool(
      "tpm2_create",
      "-C",
      "p.ctx",
      "-G",
      `${kind}:${scheme}-sha256:null`,
      "-a",
      attributes,
      "-u",
      "k.pub",
      "-r",
      "k.priv",
    );
    flushTools();
    tool("tpm2_load", "-C", "p.ctx", "-u", "k.pub", "-r", "k.priv", "-c", "k.ctx");
    flushTools();
    tool(
      "tpm2_quote",
      "-c",
      "k.ctx",
      "-l",
      "sha256:0,1,7,16",
      "-q",
      nonce,
      "-m",
      "t.msg",
      "-s",
      "t.sig",
      "-o",
      "t.pcr",
    );
    flushTools();
    const area = parsePublicArea(new Uint8Array(readFileSync(file("k.pub")).subarray(2)));
    const attest = new Uint8Array(readFileSync(file("t.msg")));
    const parsed = parseQuote(attest);
    expect(encodeHex(parsed.extraData)).toBe(nonce);
    expect(parsed.selections).toEqual([{ hash: ALGORITHM.sha256, pcrs: [0, 1, 7, 16] }]);
    const signature = parseTpmSignature(new Uint8Array(readFileSync(file("t.sig"))));
    expect(verifyTpmSignature(area, signature, attest)).toBe(true);
    const spoilt = attest.map((octet, index) => (index === 50 ? octet ^ 1 : octet));
    expect(verifyTpmSignature(area, signature, spoilt)).toBe(false);
    const values = await ours((tpm) => readPcrs(tpm, ALGORITHM.sha256, [0, 1, 7, 16]));
    expect(encodeHex(pcrDigestOf(values, ALGORITHM.sha256))).toBe(encodeHex(parsed.pcrDigest));
  });

  const EKS: readonly EkTemplateName[] = ["L-1", "L-2", "H-3", "H-6"];

  it.each(EKS)(
    "a credential of ours for %s is opened by the TPM, for its own attestation key only",
    async (name) => {
      await ours((tpm) =>
        withHandle(tpm, createPrimary(HANDLE.endorsement, EK_TEMPLATES[name]), (ek) =>
          withAk(tpm, "ecc", async (ak) => {
            const keys = { ak, ek, needsPolicy: name.startsWith("L") };
            const input = {
              endorsementKey: ek.publicArea,
              secret: SECRET,
              randomness: credentialRandomness(ek.publicArea),
            };
            const good = makeCredential({ ...input, objectName: nameOf(ak.publicArea) });
            expect(encodeHex(await activate(tpm, keys, good))).toBe(encodeHex(SECRET));
            const other = makeCredential({ ...input, objectName: nameOf(ek.publicArea) });
            await expect(activate(tpm, keys, other)).rejects.toThrow("not made for this TPM");
          }),
        ),
      );
    },
    60_000,
  );

  it.each(["L-1", "L-2"] as const)(
    "a credential of the TPM's own MakeCredential for %s is opened through our codec",
    async (name) => {
      await ours(async (tpm) => {
        const ekArea = await withHandle(
          tpm,
          createPrimary(HANDLE.endorsement, EK_TEMPLATES[name]),
          async (ek) => ek.publicArea,
        );
        const akName = await withAk(tpm, "ecc", async (ak) => ak.name);
        const made = await withHandle(tpm, loadExternal(ekArea.raw), ({ handle }) =>
          tpm.send(makeCredentialOnTpm(handle, { secret: SECRET, objectName: akName })),
        );
        await withHandle(tpm, createPrimary(HANDLE.endorsement, EK_TEMPLATES[name]), (ek) =>
          withAk(tpm, "ecc", async (ak) => {
            expect(encodeHex(await activate(tpm, { ak, ek, needsPolicy: true }, made))).toBe(encodeHex(SECRET));
          }),
        );
      });
    },
  );

  const FRAME = parseHex("badcc0de00000001");

  it.each([
    ["rsa", "rsa", "L-1"],
    ["rsa", "ecc", "L-1"],
    ["ecc", "ecc", "L-2"],
    ["ecc", "rsa", "L-2"],
  ] as const)("credentials cross over both ways with tpm2-tools (EK %s, AK %s)", async (algorithm, akKind, name) => {
    tool("tpm2_createek", "-c", "ek.ctx", "-G", algorithm === "rsa" ? "rsa" : "ecc256", "-u", "ek.pub");
    flushTools();
    tool(
      "tpm2_createak",
      "-C",
      "ek.ctx",
      "-c",
      "tak.ctx",
      "-G",
      akKind,
      "-g",
      "sha256",
      "-s",
      akKind === "rsa" ? "rsassa" : "ecdsa",
      "-u",
      "tak.pub",
      "-n",
      "tak.name",
    );
    flushTools();
    const ekArea = parsePublicArea(new Uint8Array(readFileSync(file("ek.pub")).subarray(2)));
    expect(encodePublicArea(ekArea)).toEqual(ekArea.raw);
    const akName = new Uint8Array(readFileSync(file("tak.name")));
    // Ours, opened by tpm2_activatecredential.
    const made = makeCredential({
      endorsementKey: ekArea,
      objectName: akName,
      secret: SECRET,
      randomness: credentialRandomness(ekArea),
    });
    writeFileSync(file("cred"), concatBytes([FRAME, made.credentialBlob, made.encryptedSecret]));
    tool("tpm2_startauthsession", "--policy-session", "-S", "session.ctx");
    tool("tpm2_policysecret", "-S", "session.ctx", "-c", "e");
    tool(
      "tpm2_activatecredential",
      "-c",
      "tak.ctx",
      "-C",
      "ek.ctx",
      "-i",
      "cred",
      "-o",
      "opened",
      "-P",
      "session:session.ctx",
    );
    tool("tpm2_flushcontext", "session.ctx");
    flushTools();
    expect(encodeHex(readFileSync(file("opened")))).toBe(encodeHex(SECRET));
    // tpm2_makecredential's, opened through our codec for our attestation key.
    const ourName = await ours((tpm) => withAk(tpm, akKind, async (ak) => ak.name));
    writeFileSync(file("secret"), SECRET);
    tool("tpm2_makecredential", "-T", "none", "-u", "ek.pub", "-s", "secret", "-n", encodeHex(ourName), "-o", "theirs");
    const theirs = new Uint8Array(readFileSync(file("theirs")));
    expect(encodeHex(theirs.subarray(0, 8))).toBe(encodeHex(FRAME));
    const blobOctets = 2 + ((theirs[8] ?? 0) << 8) + (theirs[9] ?? 0);
    const credential = {
      credentialBlob: theirs.subarray(8, 8 + blobOctets),
      encryptedSecret: theirs.subarray(8 + blobOctets),
    };
    await ours((tpm) =>
      withHandle(tpm, createPrimary(HANDLE.endorsement, EK_TEMPLATES[name]), (ek) =>
        withAk(tpm, akKind, async (ak) => {
          expect(encodeHex(ek.publicArea.raw)).toBe(encodeHex(ekArea.raw));
          expect(encodeHex(await activate(tpm, { ak, ek, needsPolicy: true }, credential))).toBe(encodeHex(SECRET));
        }),
      ),
    );
  });
});
