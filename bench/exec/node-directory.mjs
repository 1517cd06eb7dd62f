// A node that has joined, on disk, and one timed run of a program that presents its certificate.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodePem } from "../../dist/kernel/pem/index.js";
import {
  EKU_CLIENT_AUTH,
  encodeName,
  extKeyUsageExtension,
  keyUsageExtension,
  signCertificate,
} from "../../dist/kernel/x509/index.js";
import { generatePrivateKey } from "../../dist/platform/keys/index.js";

export const EXEC_INFO =
  '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}\n';

const YEAR_MS = 365 * 24 * 3_600_000;

/** A P-256 pair of a year in kubelet's layout: one file, and the current link at it. */
export function aNodeDirectory() {
  const nodeName = "worker-1";
  const directory = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const pki = join(directory, "pki");
  mkdirSync(pki, { mode: 0o700 });
  const key = generatePrivateKey("P-256");
  const certificate = signCertificate(
    {
      serialNumber: Uint8Array.of(1),
      issuer: encodeName({ commonName: "bench" }),
      subject: { commonName: `system:node:${nodeName}`, organizations: ["system:nodes"] },
      notBeforeMs: Date.now() - 60_000,
      notAfterMs: Date.now() + YEAR_MS,
      publicKey: key.signer.publicKey,
      extensions: [keyUsageExtension(["digitalSignature"]), extKeyUsageExtension([EKU_CLIENT_AUTH])],
    },
    generatePrivateKey("P-256").signer,
  );
  const file = join(pki, "kubelet-client-2026-01-01-00-00-00.pem");
  writeFileSync(file, encodePem("CERTIFICATE", certificate) + key.encodePem(), { mode: 0o600 });
  symlinkSync(file, join(pki, "kubelet-client-current.pem"));
  return { directory, nodeName };
}

/**
 * @param {{ command: string, args: readonly string[], env: NodeJS.ProcessEnv, answers: boolean }} run
 * @returns {number} nanoseconds from start to end, with what it printed read
 */
export function timeRun({ command, args, env, answers }) {
  const start = process.hrtime.bigint();
  const { status, stdout, stderr } = spawnSync(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const elapsed = Number(process.hrtime.bigint() - start);
  const isGood = status === 0 && (!answers || JSON.parse(String(stdout)).status.clientKeyData.includes("PRIVATE KEY"));
  if (!isGood) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr}`);
  return elapsed;
}
