// `countersign csr list`: every request with its state and, what kubectl does not show, why it is in that state.

import type { CertificateSigningRequest } from "../../../api/certificates/index.ts";
import { CSRS } from "../../../api/meta/index.ts";
import { verdictOn } from "../../../controller/index.ts";
import type { Command } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { flagOption, OUTPUT_OPTION, outputForm } from "../../options.ts";
import { table } from "../../terminal/index.ts";
import { ageOf, conditionOf } from "./request-state.ts";

export const csrList: Command = {
  options: [
    { flags: "--pending", description: "only those that nobody has decided" },
    KUBECONFIG_OPTION,
    OUTPUT_OPTION,
  ],
  run: async ({ terminal, clock, stop, ...context }, { options }) => {
    const form = outputForm(options);
    const client = await connectToCluster({ terminal, clock, stop, ...context }, options);
    try {
      const { items } = await client.list<CertificateSigningRequest>(CSRS, { signal: stop });
      const wanted = flagOption(options, "pending") ? items.filter((csr) => conditionOf(csr) === "Pending") : items;
      const rows = wanted.toSorted(byAge).map((csr) => rowOf(csr, clock.now()));
      terminal.out(form === "json" ? `${JSON.stringify(rows)}\n` : tableOf(rows));
      return 0;
    } finally {
      await client.close();
    }
  },
};

interface Row {
  readonly name: string;
  readonly age: string;
  readonly signer: string;
  readonly requester: string;
  readonly condition: string;
  readonly verdict: string;
  readonly rule: string;
  readonly reason: string;
  readonly message: string;
}

function rowOf(csr: CertificateSigningRequest, nowMs: number): Row {
  const recorded = verdictOn(csr);
  return {
    name: csr.metadata.name ?? "",
    age: ageOf(csr, nowMs),
    signer: csr.spec.signerName,
    requester: csr.spec.username ?? "",
    condition: conditionOf(csr),
    verdict: recorded === undefined ? "" : `${recorded.mode === "Shadow" ? "Shadow " : ""}${recorded.verdict}`,
    rule: recorded?.rule ?? "",
    reason: recorded?.reason ?? "",
    message: recorded?.message ?? "",
  };
}

function byAge(one: CertificateSigningRequest, other: CertificateSigningRequest): number {
  return (one.metadata.creationTimestamp ?? "") < (other.metadata.creationTimestamp ?? "") ? 1 : -1;
}

const COLUMNS = ["name", "age", "signer", "requester", "condition", "verdict", "reason"] as const;

function tableOf(rows: readonly Row[]): string {
  if (rows.length === 0) return "no certificate requests\n";
  return table(
    COLUMNS.map((column) => column.toUpperCase()),
    rows.map((row) => COLUMNS.map((column) => row[column])),
  );
}
