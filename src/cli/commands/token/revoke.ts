// `countersign token revoke ID`: the token ends at once; what was joined with it stays joined.

import { TOKEN_NAMESPACE, tokenSecretName } from "../../../api/bootstrap/index.ts";
import { SECRETS } from "../../../api/meta/index.ts";
import type { Command } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION, outputForm } from "../../options.ts";
import { parseTokenId, TOKEN_ID_ARGUMENT } from "./describe.ts";

export const tokenRevoke: Command = {
  arguments: [TOKEN_ID_ARGUMENT],
  options: [KUBECONFIG_OPTION, OUTPUT_OPTION],
  run: async (context, { options, args }) => {
    const form = outputForm(options);
    const id = parseTokenId(args[0] ?? "");
    const client = await connectToCluster(context, options);
    try {
      await client.delete(SECRETS, { namespace: TOKEN_NAMESPACE, name: tokenSecretName(id) }, { signal: context.stop });
      context.terminal.out(form === "json" ? `${JSON.stringify({ revoked: id })}\n` : `token ${id} revoked\n`);
      return 0;
    } finally {
      await client.close();
    }
  },
};
