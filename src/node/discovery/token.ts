// A bootstrap token, `<id>.<secret>`. The id may be shown to anybody; the secret signs and must not be sent to a server
// that is not trusted yet, nor be printed.

import { Fault } from "../../kernel/outcome/index.ts";

export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;

export function isBootstrapToken(text: string): boolean {
  return TOKEN.test(text);
}

export function parseBootstrapToken(text: string): BootstrapToken {
  const match = TOKEN.exec(text);
  const [, id, secret] = match ?? [];
  // The text is not repeated: what is almost a token is almost a secret.
  if (id === undefined || secret === undefined) {
    throw new Fault("bad-config", "token is not of the form <6 characters>.<16 characters>, lower-case letters and digits");
  }
  return { id, secret };
}
