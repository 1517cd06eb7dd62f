// TPM_RC (part 2, §6.6): what a response code means, as a sentence and as a Fault that callers can act on.
import { Fault, type FaultCode } from "../outcome/index.ts";

/**
 * The same command may succeed when it is sent again: a lazy self-test, a yielded command, a TPM that asks to retry.
 */
const AGAIN: ReadonlySet<number> = new Set([0x908, 0x90a, 0x922]);

/** Format 0: whole codes. */
const WHOLE: Readonly<Record<number, readonly [FaultCode, string]>> = {
  256: ["unavailable", "TPM is not in the state for this command: started already, or not yet"],
  257: ["io-failed", "TPM is in failure mode until it is reset"],
  293: ["forbidden", "authorization is missing"],
  303: ["forbidden", "this kind of authorization is not accepted for the object"],
  304: ["unavailable", "TPM must be restarted before it goes on"],
  326: ["io-failed", "NV access is out of range"],
  328: ["forbidden", "NV index is locked"],
  329: ["forbidden", "NV index does not accept this authorization"],
  330: ["not-found", "NV index was never written"],
  2306: ["unavailable", "TPM has no room for another object"],
  2307: ["unavailable", "TPM has no room for another session"],
  2308: ["unavailable", "TPM is out of memory"],
  2309: ["unavailable", "TPM is out of session handles"],
  2310: ["unavailable", "TPM is out of object handles"],
  2311: ["forbidden", "locality is wrong"],
  2312: ["unavailable", "TPM yielded the command"],
  2313: ["aborted", "TPM command was cancelled"],
  2314: ["unavailable", "TPM is testing itself"],
  2336: ["unavailable", "TPM limits the rate of NV writes"],
  2337: ["unavailable", "TPM is locked out after failed authorizations; it recovers with time or by its owner"],
  2338: ["unavailable", "TPM could not start the command and asks to retry"],
  2339: ["unavailable", "NV storage of the TPM is not available"],
};

/** Format 1: a code with the number of the handle, parameter or session it is about. */
const NUMBERED: Readonly<Record<number, readonly [FaultCode, string]>> = {
  1: ["unsupported", "asymmetric algorithm is not supported"],
  2: ["io-failed", "attributes are inconsistent"],
  3: ["unsupported", "hash is not supported"],
  4: ["io-failed", "value is out of range"],
  5: ["io-failed", "hierarchy is not enabled or wrong"],
  7: ["unsupported", "key size is not supported"],
  10: ["io-failed", "type is wrong"],
  11: ["not-found", "handle does not exist"],
  14: ["forbidden", "authorization failed"],
  18: ["unsupported", "scheme is not supported"],
  21: ["io-failed", "structure has the wrong size"],
  22: ["unsupported", "symmetric algorithm is not supported"],
  26: ["io-failed", "structure ends too early"],
  29: ["forbidden", "policy does not hold"],
  31: ["untrusted", "integrity check failed: not made for this TPM and this key, or altered"],
  34: ["forbidden", "authorization failed"],
  38: ["unsupported", "curve is not supported"],
  39: ["io-failed", "point is not on the curve"],
};

const FORMAT_ONE = 0x80;
const ABOUT_PARAMETER = 0x40;
const ABOUT_SESSION = 0x800;

export function mustSendAgain(code: number): boolean {
  return AGAIN.has(code);
}

export function responseFault(command: string, code: number): Fault {
  const [fault, meaning] = describe(code);
  return new Fault(fault, `TPM refused ${command}: ${meaning} (code 0x${code.toString(16)})`, {
    detail: { command, responseCode: code.toString(16) },
    retryable: fault === "unavailable",
  });
}

/** TPM_RC_REFERENCE_H0 to H6: which of a command's handles it is, the caller knows best. */
const REFERENCES = { first: 0x910, last: 0x916 } as const;
const NOT_LOADED = ["not-found", "object is not loaded"] as const;

function describe(code: number): readonly [FaultCode, string] {
  if (code >= REFERENCES.first && code <= REFERENCES.last) return NOT_LOADED;
  if ((code & FORMAT_ONE) === 0) return WHOLE[code] ?? ["io-failed", "it gave no reason that is known here"];
  const known = NUMBERED[code & 0x3f];
  if (known === undefined) return ["io-failed", `unknown fault of ${subjectOf(code)}`];
  return [known[0], `${known[1]}, ${subjectOf(code)}`];
}

function subjectOf(code: number): string {
  if ((code & ABOUT_PARAMETER) !== 0) return `parameter ${(code >> 8) & 0xf}`;
  return (code & ABOUT_SESSION) === 0 ? `handle ${(code >> 8) & 7}` : `session ${(code >> 8) & 7}`;
}
