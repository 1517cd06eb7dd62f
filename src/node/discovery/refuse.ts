// A refusal of discovery: which rule does not hold, and what to do about it. As a value for those who judge, as a Fault at
// the edge, with the rule in its detail.

import { type Deny, deny, Fault } from "../../kernel/outcome/index.ts";

export function refuse(rule: string, message: string): Deny {
  return deny({ rule, reason: "Untrusted", message });
}

export function untrusted({ rule, message }: Pick<Deny, "rule" | "message">, cause?: unknown): Fault {
  return new Fault("untrusted", message, { cause, detail: { check: rule } });
}
