// Replicas of the controller as processes, each with a token and files of its own.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Lease } from "../../../src/api/core/index.ts";
import { LEASES } from "../../../src/api/meta/index.ts";
import { isFault } from "../../../src/kernel/outcome/index.ts";
import { systemClock } from "../../../src/platform/clock/index.ts";
import type { KubeClient } from "../../../src/platform/kube/index.ts";
import {
  type ControlPlane,
  locateProgram,
  logInAsController,
  type ServerProcess,
  startProcess,
} from "../harness/index.ts";

export interface Replica {
  readonly name: string;
  readonly process: ServerProcess;
  readonly auditPath: string;
  /** The name under which kube-apiserver's audit log knows its token. */
  readonly credential: string;
  /** As it stands in the Lease; found in its log. */
  identity(): Promise<string>;
}

export const LEASE = { namespace: "countersign-system", name: "node-attestation-controller" };

export async function startReplica(
  plane: ControlPlane,
  name: string,
  more: readonly string[] = [],
  server?: string,
): Promise<Replica> {
  const kubeconfig = await logInAsController(plane, name);
  const text = await readFile(kubeconfig, "utf8");
  const auditPath = join(plane.dir, `${name}-audit.log`);
  const args = [
    locateProgram("node-attestation-controller"),
    `--kubeconfig=${server === undefined ? kubeconfig : await redirect(kubeconfig, server)}`,
    `--ca-cert=${join(plane.pkiDir, "ca.crt")}`,
    `--ca-key=${join(plane.pkiDir, "ca.key")}`,
    `--audit-log=${auditPath}`,
    ...more,
  ];
  const started = await startProcess({ name, command: process.execPath, args, dir: plane.dir });
  return {
    name,
    process: started,
    auditPath,
    credential: credentialOf(text),
    identity: async () => {
      for (;;) {
        const line = started
          .lastLines(100_000)
          .split("\n")
          .find((one) => one.includes('"controller starts"'));
        if (line !== undefined) return (JSON.parse(line) as { identity: string }).identity;
        if (started.ending() !== undefined) throw new Error(`${name} ended:\n${started.lastLines()}`);
        await systemClock.sleep(20);
      }
    },
  };
}

/** The same kubeconfig by another way, such as a proxy. */
async function redirect(path: string, server: string): Promise<string> {
  const { writeFile } = await import("node:fs/promises");
  const text = (await readFile(path, "utf8")).replace(/server: .*/, `server: ${server}`);
  await writeFile(`${path}.redirected`, text);
  return `${path}.redirected`;
}

function credentialOf(kubeconfig: string): string {
  const [, payload = ""] = /token: "?[^."]+\.([^."]+)\./.exec(kubeconfig) ?? [];
  const { jti } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { jti: string };
  return `JTI=${jti}`;
}

/** Who holds the lease now; empty: nobody. */
export async function holderOf(admin: KubeClient): Promise<string> {
  try {
    return (await admin.get<Lease>(LEASES, LEASE)).spec?.holderIdentity ?? "";
  } catch (error) {
    if (isFault(error, "not-found")) return "";
    throw error;
  }
}

/** Waits until somebody other than `before` leads; answers who, and how long it took. */
export async function untilOtherLeads(admin: KubeClient, before: string, limitMs: number) {
  const began = Date.now();
  for (;;) {
    const holder = await holderOf(admin);
    if (holder !== "" && holder !== before) return { holder, afterMs: Date.now() - began };
    if (Date.now() - began > limitMs) throw new Error(`nobody took over from ${before} in ${limitMs} ms`);
    await systemClock.sleep(20);
  }
}
