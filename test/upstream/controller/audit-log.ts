// kube-apiserver's own audit log as a witness: who wrote what to which request, and with what result.

import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface WitnessedWrite {
  readonly csr: string;
  readonly verb: string;
  readonly subresource: string;
  readonly code: number;
  /** The credential by which it was made: another one for each replica. */
  readonly credential: string;
  readonly atMs: number;
}

/**
 * What the server notes of a write whose client died before the answer: the transaction may have been done all the
 * same. Seen by killing clients in the middle of their writes: of 336 that took effect 330 were noted with 200 and six
 * with this.
 */
export const CLIENT_WAS_GONE = 504;

/** Flags that make the server write it, and what reads it. */
export async function createWitness(): Promise<{
  readonly flags: readonly string[];
  writes(): Promise<readonly WitnessedWrite[]>;
}> {
  const base = join(tmpdir(), `countersign-witness-${process.pid}-${Date.now()}`);
  const policy = {
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    rules: [
      { level: "Metadata", verbs: ["update", "patch", "delete"], resources: [{ group: "certificates.k8s.io" }] },
      { level: "None" },
    ],
  };
  await writeFile(`${base}.yaml`, JSON.stringify(policy));
  return {
    flags: [`--audit-policy-file=${base}.yaml`, `--audit-log-path=${base}.log`, "--audit-log-mode=blocking"],
    writes: async () =>
      (await readFile(`${base}.log`, "utf8"))
        .split("\n")
        .filter(Boolean)
        .map((line) => readLine(line)),
  };
}

const CREDENTIAL = "authentication.kubernetes.io/credential-id";

// biome-ignore lint/suspicious/noExplicitAny: the server's own format, of which a few fields are read
function readLine(line: string, parse: (text: string) => any = JSON.parse): WitnessedWrite {
  const event = parse(line);
  return {
    csr: event.objectRef?.name ?? "",
    verb: event.verb,
    subresource: event.objectRef?.subresource ?? "",
    code: event.responseStatus?.code ?? 0,
    credential: event.user?.extra?.[CREDENTIAL]?.[0] ?? "",
    atMs: Date.parse(event.stageTimestamp),
  };
}
