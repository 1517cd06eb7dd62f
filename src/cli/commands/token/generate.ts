// `countersign token generate`: a token can be made before any server exists; `countersign up --token-file` accepts it.

import { encodeToken, generateToken } from "../../../api/bootstrap/index.ts";
import { randomBytes } from "../../../platform/keys/index.ts";
import type { Command } from "../../command.ts";

export const tokenGenerate: Command = {
  options: [],
  run: async ({ terminal }) => {
    terminal.out(`${encodeToken(generateToken(randomBytes))}\n`);
    return 0;
  },
};
