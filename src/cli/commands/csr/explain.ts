// `countersign csr explain NAME`: why a request was approved, refused or is waiting, rule by rule. The table comes from
// the annotation that the controller keeps on the object, so it needs no right but to read the request.

import { type CertificateSigningRequest, isDecided } from "../../../api/certificates/index.ts";
import { CSRS } from "../../../api/meta/index.ts";
import { CHALLENGE_ANNOTATION } from "../../../attestation/evidence/index.ts";
import { type RecordedVerdict, verdictOn } from "../../../controller/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { Command, CommandContext } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION, outputForm } from "../../options.ts";
import { plainText, type Tone } from "../../terminal/index.ts";
import { ageOf, conditionOf } from "./request-state.ts";

export const csrExplain: Command = {
  arguments: [{ name: "<name>", description: "the request's name, as kubectl get csr shows it" }],
  options: [KUBECONFIG_OPTION, OUTPUT_OPTION],
  run: async (context, { options, args }) => {
    const name = args[0];
    if (name === undefined) throw new Fault("bad-config", "the name of the request is missing");
    const form = outputForm(options);
    const client = await connectToCluster(context, options);
    try {
      const csr = await client.get<CertificateSigningRequest>(CSRS, { name }, { signal: context.stop });
      const verdict = verdictOn(csr);
      if (form === "json") context.terminal.out(`${JSON.stringify(describe(csr, verdict))}\n`);
      else print(context, csr, verdict);
      return 0;
    } finally {
      await client.close();
    }
  },
};

function describe(csr: CertificateSigningRequest, verdict: RecordedVerdict | undefined) {
  return {
    name: csr.metadata.name,
    signerName: csr.spec.signerName,
    username: csr.spec.username,
    condition: conditionOf(csr),
    verdict: verdict ?? null,
  };
}

/** Between challenge and proof a hello is neither refused nor waiting; Events report when it is held back. */
function withoutVerdict(csr: CertificateSigningRequest): string {
  if (isDecided(csr)) return "none recorded: no controller of ours has judged this request";
  const { name = "", annotations = {} } = csr.metadata;
  return annotations[CHALLENGE_ANNOTATION] === undefined
    ? `none recorded yet; see its Events (kubectl describe csr ${name})`
    : "challenged; waits for the machine's proof";
}

function shadowNote({ mode }: RecordedVerdict): string {
  return mode === "Shadow" ? "   in Shadow: this was recorded, and decided nothing" : "";
}

const OUTCOME_WIDTH = 8;
const TONES: Readonly<Record<string, Tone>> = {
  pass: "good",
  deny: "bad",
  wait: "strong",
  "not-reached": "faint",
  off: "faint",
};

function print(
  { terminal, clock }: CommandContext,
  csr: CertificateSigningRequest,
  verdict: RecordedVerdict | undefined,
): void {
  const { name = "", signerName, username = "" } = { ...csr.metadata, ...csr.spec };
  terminal.out(
    `${[name, signerName, `by ${username}`, `${ageOf(csr, clock.now())} ago`, conditionOf(csr)].map(plainText).join("   ")}\n`,
  );
  if (verdict === undefined) {
    terminal.out(`verdict     ${plainText(withoutVerdict(csr))}\n`);
    return;
  }
  terminal.out(
    `verdict     ${terminal.paint("strong", verdict.verdict.toUpperCase())}   ${plainText(verdict.rule)}   ${plainText(verdict.reason)}\n`,
  );
  terminal.out(`            ${plainText(verdict.message)}\n`);
  if (verdict.retryAfterMs !== undefined) {
    terminal.out(
      `            looks again at every change, at the latest in ${Math.ceil(verdict.retryAfterMs / 1_000)} s\n`,
    );
  }
  if (verdict.policy !== undefined) terminal.out(`policy      ${plainText(verdict.policy)}${shadowNote(verdict)}\n`);
  terminal.out("\n");
  const width = Math.max(...verdict.trail.map(({ rule }) => rule.length));
  for (const { rule, outcome, note } of verdict.trail) {
    const word = (outcome === "not-reached" ? "–" : outcome).padEnd(OUTCOME_WIDTH);
    const text = note ?? (outcome === "not-reached" ? "not reached" : "");
    terminal.out(
      `  ${plainText(rule).padEnd(width)}   ${terminal.paint(TONES[outcome] ?? "plain", word)}${plainText(text)}\n`,
    );
  }
}
