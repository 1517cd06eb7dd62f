// `countersign token list`: which bootstrap tokens there are, for how long and for what. Secrets are not shown.

import { readTokenSecret, type StoredToken, TOKEN_NAMESPACE, TOKEN_SECRET_TYPE } from "../../../api/bootstrap/index.ts";
import type { Secret } from "../../../api/core/index.ts";
import { SECRETS } from "../../../api/meta/index.ts";
import type { Command } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION, outputForm } from "../../options.ts";
import { table } from "../../terminal/index.ts";
import { describeToken, timeLeft } from "./describe.ts";

export const tokenList: Command = {
  options: [KUBECONFIG_OPTION, OUTPUT_OPTION],
  run: async (context, { options }) => {
    const form = outputForm(options);
    const client = await connectToCluster(context, options);
    try {
      const { items } = await client.list<Secret>(SECRETS, {
        namespace: TOKEN_NAMESPACE,
        fieldSelector: `type=${TOKEN_SECRET_TYPE}`,
        signal: context.stop,
      });
      const tokens = items.flatMap((secret) => readTokenSecret(secret) ?? []);
      const nowMs = context.clock.now();
      const shown = tokens.map((token) => describeToken(token, { withSecret: false }));
      const rows = tokens.map((token) => cells(token, nowMs));
      context.terminal.out(form === "json" ? `${JSON.stringify(shown)}\n` : table(HEADINGS, rows));
      return 0;
    } finally {
      await client.close();
    }
  },
};

const HEADINGS = ["ID", "TTL", "EXPIRES", "USAGES", "DESCRIPTION", "GROUPS"];

function cells(token: StoredToken, nowMs: number): readonly string[] {
  const { id, expires, usages, description, groups } = describeToken(token, { withSecret: false });
  const none = (text: string) => (text === "" ? "<none>" : text);
  return [
    id,
    timeLeft(token, nowMs),
    expires ?? "<never>",
    none(usages.join(",")),
    none(description),
    none(groups.join(",")),
  ];
}
