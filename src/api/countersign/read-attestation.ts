// `spec.attestation` of a JoinPolicy: checked field by field, defaults left to the verifiers, whose words they are.

import { type Fields, fieldsOf, flagAt, listAt, numberAt, textAt, textsAt, wordAt, wrong } from "./fields.ts";
import type { AttestationPolicy, PcrPolicy, TpmPolicy } from "./join-policy.ts";

const PATH = "spec.attestation";
const HEX_DIGEST = /^[0-9a-f]{64}$/;

export function readAttestation(fields: Fields): AttestationPolicy {
  return given({
    providers: textsAt(fields["providers"], `${PATH}.providers`),
    tpm: fields["tpm"] === undefined ? undefined : readTpm(fieldsOf(fields["tpm"], `${PATH}.tpm`)),
    challengeSeconds: numberAt(fields["challengeSeconds"], `${PATH}.challengeSeconds`, { min: 60, max: 600 }),
    sealing: wordAt(fields["sealing"], `${PATH}.sealing`, ["Required", "Optional"]),
    renewalBeacon: flagAt(fields["renewalBeacon"], `${PATH}.renewalBeacon`),
    ekAnnotation: wordAt(fields["ekAnnotation"], `${PATH}.ekAnnotation`, ["Pem", "Digest"]),
    previousCredential: wordAt(fields["previousCredential"], `${PATH}.previousCredential`, ["Report", "Refuse"]),
  });
}

function readTpm(tpm: Fields): TpmPolicy {
  const path = `${PATH}.tpm`;
  return given({
    endorsementKeys: digestsAt(tpm["endorsementKeys"], `${path}.endorsementKeys`),
    deniedEndorsementKeys: digestsAt(tpm["deniedEndorsementKeys"], `${path}.deniedEndorsementKeys`),
    roots: textAt(tpm["roots"], `${path}.roots`),
    intermediates: textAt(tpm["intermediates"], `${path}.intermediates`),
    revocationLists: textAt(tpm["revocationLists"], `${path}.revocationLists`),
    certificateValidity: wordAt(tpm["certificateValidity"], `${path}.certificateValidity`, ["Enforce", "Report"]),
    firstUse: wordAt(tpm["firstUse"], `${path}.firstUse`, ["Allow", "Refuse"]),
    clockRegression: wordAt(tpm["clockRegression"], `${path}.clockRegression`, ["Refuse", "Warn"]),
    pcrs: tpm["pcrs"] === undefined ? undefined : readPcrs(fieldsOf(tpm["pcrs"], `${path}.pcrs`), `${path}.pcrs`),
  });
}

const PCR = { min: 0, max: 23 };

function readPcrs(pcrs: Fields, path: string): PcrPolicy {
  return given({
    rule: wordAt(pcrs["rule"], `${path}.rule`, ["Record", "Match", "PinFirst"]),
    select: listAt(pcrs["select"], `${path}.select`)?.flatMap(
      (index, at) => numberAt(index, `${path}.select[${at}]`, PCR) ?? [],
    ),
    allowed: listAt(pcrs["allowed"], `${path}.allowed`)?.map((item, at) => {
      const fields = fieldsOf(item, `${path}.allowed[${at}]`);
      const index = numberAt(fields["index"], `${path}.allowed[${at}].index`, PCR);
      if (index === undefined) throw wrong(`${path}.allowed[${at}].index`, index, "the number of a PCR");
      return { index, values: digestsAt(fields["values"], `${path}.allowed[${at}].values`) ?? [] };
    }),
  });
}

function digestsAt(value: unknown, path: string): readonly string[] | undefined {
  return textsAt(value, path)?.map((text, index) => {
    if (!HEX_DIGEST.test(text)) throw wrong(`${path}[${index}]`, text, "64 lower-case hexadecimal digits");
    return text;
  });
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that were left out. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
