// What a writer of /approval or /status may do to conditions and certificate, and the times of conditions. Whether the
// certificate fits the request is not checked here, as in Kubernetes: that is the signer's duty
// (controller/signing/check.ts).

import type { CertificateSigningRequest, CsrCondition } from "../../../../api/certificates/index.ts";
import { parseBase64 } from "../../../../kernel/bytes/index.ts";
import { isFault } from "../../../../kernel/outcome/index.ts";
import { parsePem } from "../../../../kernel/pem/index.ts";
import { parseCertificate } from "../../../../kernel/x509/index.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  isRepeated,
  notSupported,
  required,
} from "../../field-error.ts";
import { formatTime } from "../../metadata.ts";

/** Conditions that only /approval may add or change. */
const DECISIONS: readonly string[] = ["Approved", "Denied"];

/**
 * Missing times: lastUpdateTime is now; lastTransitionTime is that of the same type and status before, otherwise now.
 */
export function stampConditions(
  conditions: readonly CsrCondition[],
  current: CertificateSigningRequest,
  nowMs: number,
): readonly CsrCondition[] {
  const now = formatTime(nowMs);
  return conditions.map((condition) => {
    const before = current.status?.conditions?.find(
      (old) => old.type === condition.type && old.status === condition.status && old.lastTransitionTime !== undefined,
    );
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? now,
      lastTransitionTime: condition.lastTransitionTime ?? before?.lastTransitionTime ?? now,
    };
  });
}

/**
 * Decisions that are sent back, as many as are stored, are replaced by the stored ones; other numbers fail validation.
 */
export function restoreConditions(
  sent: readonly CsrCondition[],
  current: CertificateSigningRequest,
): readonly CsrCondition[] {
  const restored = [...sent];
  for (const type of DECISIONS) {
    const old = (current.status?.conditions ?? []).filter((condition) => condition.type === type);
    const places = sent.flatMap((condition, at) => (condition.type === type ? [at] : []));
    if (places.length !== old.length) continue;
    for (const [nth, at] of places.entries()) restored[at] = old[nth] ?? restored[at] ?? { type, status: "True" };
  }
  return restored;
}

type Csr = CertificateSigningRequest;

const CONDITIONS = "status.conditions";
/** Only the presence of these counts; clients would read "False" as "True". */
const TRUE_ONLY: readonly string[] = ["Approved", "Denied", "Failed"];
const STATUSES: readonly string[] = ["False", "True", "Unknown"];

export function validateStatusUpdate(next: Csr, current: Csr, options: { mayDecide: boolean }): readonly FieldError[] {
  const conditions = next.status?.conditions ?? [];
  return [
    ...conditions.flatMap((condition, at) => conditionErrors(condition, at, conditions)),
    ...exclusionErrors(conditions, current.status?.conditions ?? []),
    ...TRUE_ONLY.flatMap((type) => changeErrors(type, { next, current }, options.mayDecide)),
    ...certificateErrors(next.status?.certificate ?? "", current.status?.certificate ?? ""),
  ];
}

const byType = ({ type }: CsrCondition) => String(type);

function conditionErrors(condition: CsrCondition, at: number, all: readonly CsrCondition[]): readonly FieldError[] {
  const { type, status }: { readonly type: string; readonly status: string } = condition;
  const field = `${CONDITIONS}[${at}]`;
  const allowed = TRUE_ONLY.includes(type) ? ["True"] : STATUSES;
  const isSecond = isRepeated(all, at, byType);
  const errors: FieldError[] = [];
  if ((type ?? "") === "") errors.push(required(`${field}.type`));
  if ((status ?? "") === "") errors.push(required(`${field}.status`));
  else if (!allowed.includes(status)) errors.push(notSupported(`${field}.status`, status, allowed));
  if (isSecond) errors.push(duplicate(`${field}.type`, type));
  return errors;
}

function exclusionErrors(next: readonly CsrCondition[], old: readonly CsrCondition[]): readonly FieldError[] {
  const hasBoth = (conditions: readonly CsrCondition[]) =>
    DECISIONS.every((type) => conditions.some((condition) => condition.type === type));
  if (!hasBoth(next) || hasBoth(old)) return [];
  const second = next.filter((condition) => DECISIONS.includes(condition.type))[1]?.type;
  return [invalid(CONDITIONS, second, "Approved and Denied conditions are mutually exclusive")];
}

function changeErrors(
  type: string,
  { next, current }: { next: Csr; current: Csr },
  mayDecide: boolean,
): readonly FieldError[] {
  const count = (csr: Csr) => (csr.status?.conditions ?? []).filter((condition) => condition.type === type).length;
  const [before, after] = [count(current), count(next)];
  if (after < before) return [forbiddenField(CONDITIONS, `updates may not remove a condition of type "${type}"`)];
  if (after > before && DECISIONS.includes(type) && !mayDecide) {
    return [forbiddenField(CONDITIONS, `updates may not add a condition of type "${type}"`)];
  }
  return [];
}

function certificateErrors(next: string, current: string): readonly FieldError[] {
  if (next === current) return [];
  const field = "status.certificate";
  if (current !== "") return [forbiddenField(field, "updates may not modify existing certificate content")];
  const problem = certificateProblem(next);
  return problem === undefined ? [] : [invalid(field, "<certificate data>", problem)];
}

function certificateProblem(certificate: string): string | undefined {
  try {
    const blocks = parsePem(new TextDecoder("latin1").decode(parseBase64(certificate)));
    for (const block of blocks) {
      if (block.label !== "CERTIFICATE") {
        return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(block.label)}`;
      }
      if (block.headers.length > 0) return "no PEM block headers are permitted";
      parseCertificate(block.bytes);
    }
    return blocks.length === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
  } catch (error) {
    if (isFault(error)) return `x509: malformed certificate: ${error.message}`;
    throw error;
  }
}
