// `countersign token list`: which bootstrap tokens there are, for how long and for what. Secrets are not shown.

import { readTokenSecret, type StoredToken, TOKEN_NAMESPACE, TOKEN_SECRET_TYPE } from "../../../api/bootstrap/index.ts";
import type { Secret } from "../../../api/core/index.ts";
import { SECRETS } from "../../../api/meta/index.ts";
import type { Command } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION, outputForm } from "../../options.ts";
import { plainText } from "../../terminal/index.ts";
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
      context.terminal.out(form === "json" ? `${JSON.stringify(shown)}\n` : table(tokens, nowMs));
      return 0;
    } finally {
      await client.close();
    }
  },
};

const HEADINGS = ["ID", "TTL", "EXPIRES", "USAGES", "DESCRIPTION", "GROUPS"];

function table(tokens: readonly StoredToken[], nowMs: number): string {
  const rows = [HEADINGS, ...tokens.map((token) => cells(token, nowMs))];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   ");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}

/** What stands in a Secret was written by somebody: it must not move the cursor of whoever lists it. */
function cells(token: StoredToken, nowMs: number): readonly string[] {
  const { id, expires, usages, description, groups } = describeToken(token, { withSecret: false });
  const none = (text: string) => (text === "" ? "<none>" : text);
  return [
    id,
    timeLeft(token, nowMs),
    expires ?? "<never>",
    none(usages.join(",")),
    none(plainText(description)),
    none(groups.join(",")),
  ];
}
