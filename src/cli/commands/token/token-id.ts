// A token named on a command line: by its id, or by the whole token, of which only the id is used.

import { isToken, parseToken } from "../../../api/bootstrap/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { CommandArgument } from "../../command.ts";

export const TOKEN_ID_ARGUMENT: CommandArgument = {
  name: "<id>",
  description: "the first part of the token, or the whole",
};

export function parseTokenId(text: string): string {
  if (isToken(text)) return parseToken(text).id;
  if (/^[a-z0-9]{6}$/.test(text)) return text;
  // The text is not repeated: what is almost a token is almost a secret.
  throw new Fault("bad-config", "a token is named by its id, six lower-case letters and digits, or by the whole token");
}
