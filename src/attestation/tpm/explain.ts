// What a person can do about a TPM that does not answer, answers half, or refuses, told with the fault: its reader
// stands before a machine and does not know response codes. What was done so far is kept, so running it again is always
// possible.

import { Fault, isFault } from "../../kernel/outcome/index.ts";

const AGAIN = "run it again: it goes on where it was";

/** By the TPM's own code, in hex. */
const BY_RESPONSE: Readonly<Record<string, string>> = {
  "101": "the TPM wants a reset: switch the machine off and on",
  "130": "the TPM wants a restart: reboot the machine",
  "902": "other programs fill the TPM: use the kernel's resource manager, /dev/tpmrm0",
  "903": "other programs fill the TPM: use the kernel's resource manager, /dev/tpmrm0",
  "904": "other programs fill the TPM: use the kernel's resource manager, /dev/tpmrm0",
  "921": `wait until the lockout is over, or have the TPM's owner end it (tpm2_dictionarylockout --clear-lockout); then ${AGAIN}`,
  "922": `the TPM is busy with somebody else; ${AGAIN}`,
};

/** By what the system says of the device. */
const BY_ERRNO: Readonly<Record<string, string>> = {
  EACCES: "run it as root, or in the group that may use the TPM (mostly tss)",
  EPERM: "run it as root, or in the group that may use the TPM (mostly tss)",
  EBUSY: "another program holds the device: use the kernel's resource manager, /dev/tpmrm0",
  ENOENT: "switch the TPM on in the firmware's settings, or name another with --tpm",
  ENODEV: "switch the TPM on in the firmware's settings, or name another with --tpm",
};

/** By the kind of fault, where nothing more is known. */
const BY_CODE: Readonly<Partial<Record<Fault["code"], string>>> = {
  timeout: `${AGAIN}; a TPM that stays silent needs the machine switched off and on`,
  unavailable: `see that the TPM, or the program that stands for it, runs; then ${AGAIN}`,
  malformed: `${AGAIN}; a TPM whose answers are cut short more than once needs new firmware, or its driver does`,
  "io-failed": `${AGAIN}; then look at the kernel's log for the TPM's driver`,
};

/** The same fault with `detail.todo`. What is no accident of the TPM comes back as it is. */
export function explainTpm(failure: unknown): unknown {
  if (!isFault(failure) || failure.detail["todo"] !== undefined) return failure;
  const { responseCode, errno } = failure.detail;
  const todo = BY_RESPONSE[String(responseCode)] ?? BY_ERRNO[String(errno)] ?? BY_CODE[failure.code];
  if (todo === undefined) return failure;
  const { code, message, retryable, cause } = failure;
  return new Fault(code, message, { cause, retryable, detail: { ...failure.detail, todo } });
}
