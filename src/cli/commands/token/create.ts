// `countersign token create`: a live bootstrap token, stored in the cluster as kubeadm stores it.

import { buildTokenSecret, encodeToken, generateToken } from "../../../api/bootstrap/index.ts";
import { SECRETS } from "../../../api/meta/index.ts";
import { randomBytes } from "../../../platform/keys/index.ts";
import type { Command } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { durationOption, OUTPUT_OPTION, outputForm } from "../../options.ts";

export const tokenCreate: Command = {
  path: ["token", "create"],
  summary: "make a bootstrap token with which machines can ask to join",
  options: [
    KUBECONFIG_OPTION,
    { flags: "--ttl <duration>", description: "how long it lives", default: "15m" },
    OUTPUT_OPTION,
  ],
  examples: ["countersign token create --ttl 1h > token && chmod 600 token"],
  run: async (context, { options }) => {
    const form = outputForm(options);
    const ttlMs = durationOption(options, "ttl");
    const client = await connectToCluster(context, options);
    try {
      const token = generateToken(randomBytes);
      const nowMs = context.clock.now();
      await client.create(SECRETS, buildTokenSecret(token, { nowMs, ttlMs }), { signal: context.stop });
      const expires = new Date(nowMs + ttlMs).toISOString();
      context.terminal.out(
        form === "json" ? `${JSON.stringify({ token: encodeToken(token), expires })}\n` : `${encodeToken(token)}\n`,
      );
      return 0;
    } finally {
      await client.close();
    }
  },
};
