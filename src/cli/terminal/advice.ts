// Fault -> exit code and advice. One of the three edges that translate faults; the record lists every code, so a new
// one does not compile until it is answered here. The exit codes are those of sysexits where one fits.

import type { FaultCode } from "../../kernel/outcome/index.ts";

export interface Advice {
  readonly exit: number;
  readonly todo: string;
}

export const ADVICE: Readonly<Record<FaultCode, Advice>> = {
  malformed: { exit: 65, todo: "look at the named field and make the file or answer anew" },
  "limit-exceeded": { exit: 65, todo: "nothing honest comes near this limit; look at where the input comes from" },
  unsupported: { exit: 65, todo: "use one of the forms that the message names" },
  untrusted: { exit: 77, todo: "do not go on; compare address, token and CA pin with where you got them from" },
  unauthorized: { exit: 77, todo: "the credential is dead; join again with a live token" },
  forbidden: { exit: 77, todo: "grant what the message names, or use another identity" },
  "not-found": { exit: 69, todo: "list what there is; the name may be mistyped or the object deleted" },
  "already-exists": { exit: 69, todo: "look at the existing one; delete it or use another name" },
  conflict: { exit: 75, todo: "somebody else was faster; run it again" },
  invalid: { exit: 65, todo: "correct the field that the message names" },
  expired: { exit: 75, todo: "run it again" },
  "too-many-requests": { exit: 75, todo: "wait a little and run it again" },
  unavailable: { exit: 69, todo: "check the address and that the server is up, then run it again" },
  timeout: { exit: 75, todo: "look at what was awaited; finished steps are kept, so run it again" },
  aborted: { exit: 130, todo: "finished steps are kept; run it again to go on" },
  denied: { exit: 77, todo: "ask why on a control-plane machine: countersign csr explain NAME" },
  "failed-request": { exit: 70, todo: "the request breaks a rule of its signer; correct it and ask again" },
  "bad-config": { exit: 78, todo: "correct what the message names" },
  locked: { exit: 75, todo: "stop the other process, or use another directory" },
  "io-failed": { exit: 74, todo: "look at space, permissions and mounts of the named path" },
  internal: { exit: 70, todo: "this is our mistake; run it with --debug and report the output" },
};
