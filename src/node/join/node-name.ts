// The name under which this machine joins, as somebody typed it.

import { isNodeName, NODE_NAME_MAX_CHARACTERS } from "../../api/certificates/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";

export function parseNodeName(text: string): string {
  if (isNodeName(text)) return text;
  const shown = JSON.stringify(text.slice(0, NODE_NAME_MAX_CHARACTERS));
  const form = `a DNS name of lower-case letters, digits, "-" and ".", at most ${NODE_NAME_MAX_CHARACTERS} characters`;
  throw new Fault("bad-config", `node name ${shown} is not ${form}`);
}
