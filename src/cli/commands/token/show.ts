// `countersign token show ID`: one bootstrap token, whole. Needs the right to read its Secret.

import { readTokenSecret, TOKEN_NAMESPACE, tokenSecretName } from "../../../api/bootstrap/index.ts";
import type { Secret } from "../../../api/core/index.ts";
import { SECRETS } from "../../../api/meta/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { Command } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION, outputForm } from "../../options.ts";
import { plainText } from "../../terminal/index.ts";
import { describeToken, parseTokenId, TOKEN_ID_ARGUMENT, timeLeft } from "./describe.ts";

export const tokenShow: Command = {
  arguments: [TOKEN_ID_ARGUMENT],
  options: [KUBECONFIG_OPTION, OUTPUT_OPTION],
  run: async (context, { options, args }) => {
    const form = outputForm(options);
    const id = parseTokenId(args[0] ?? "");
    const client = await connectToCluster(context, options);
    try {
      const target = { namespace: TOKEN_NAMESPACE, name: tokenSecretName(id) };
      const token = readTokenSecret(await client.get<Secret>(SECRETS, target, { signal: context.stop }));
      if (token === undefined) throw new Fault("invalid", `Secret ${target.name} is no bootstrap token`);
      const shown = describeToken(token, { withSecret: true });
      if (form === "json") context.terminal.out(`${JSON.stringify(shown)}\n`);
      else {
        const lines: readonly (readonly [string, string])[] = [
          ["token", shown.token ?? ""],
          ["lives", `${timeLeft(token, context.clock.now())}, until ${shown.expires ?? "<never>"}`],
          ["usages", shown.usages.join(", ")],
          ["groups", shown.groups.join(", ")],
          ["for", plainText(shown.description)],
        ];
        for (const [name, value] of lines)
          context.terminal.out(`${name.padEnd(8)}${value === "" ? "<none>" : value}\n`);
      }
      return 0;
    } finally {
      await client.close();
    }
  },
};
