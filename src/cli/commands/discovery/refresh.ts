// `countersign discovery refresh [ADDRESS]`: brings the cache up to date while one way back still works, or fills it by
// the named way. A given token is the last way, for a machine that missed everything else.

import { parseToken } from "../../../api/bootstrap/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import { type CachedDiscovery, type DiscoveryCache, refreshDiscovery } from "../../../node/index.ts";
import type { Command, CommandContext, CommandInput } from "../../command.ts";
import { ADDRESS_ARGUMENT, discoverDeps } from "../../discovery-options.ts";
import { durationOption, outputForm, textOption } from "../../options.ts";
import { readToken } from "../../secret-input.ts";
import { plainText } from "../../terminal/index.ts";
import { describeDiscovery, discoveryJson } from "./describe.ts";
import { followKubeconfig } from "./follow-kubeconfig.ts";
import { discoverAsAsked, openCache, requireCached, SOURCE_OPTIONS } from "./source.ts";

/** `0s` would be a storm of requests. */
const SHORTEST_PAUSE_MS = 1_000;

export const discoveryRefresh: Command = {
  arguments: [ADDRESS_ARGUMENT],
  options: [
    ...SOURCE_OPTIONS,
    { flags: "--every <duration>", description: "again and again until it is stopped, such as 1h" },
    { flags: "--kubeconfig <file>", description: "keep the cluster's entry in it up to date, such as ~/.kube/config" },
  ],
  examples: [
    "countersign discovery refresh --token-file token 10.0.0.1",
    "countersign discovery refresh",
    "countersign discovery refresh --every 1h --kubeconfig ~/.kube/config",
  ],
  run: async (context, input) => {
    const cache = openCache(context, input);
    const isOnce = textOption(input.options, "every") === undefined;
    const everyMs = isOnce ? 0 : durationOption(input.options, "every", { minMs: SHORTEST_PAUSE_MS });
    await refresh(context, input, cache);
    if (isOnce) return 0;
    for (;;) {
      await context.clock.sleep(everyMs, context.stop);
      await refreshOrSay(context, { args: [], options: { ...input.options, ...NO_WAY } }, cache);
    }
  },
};

/** A cluster that is unreachable for an hour is tried again in the next one. */
async function refreshOrSay(context: CommandContext, input: CommandInput, cache: DiscoveryCache): Promise<void> {
  try {
    await refresh(context, input, cache);
  } catch (error) {
    if (!isFault(error) || error.code === "aborted") throw error;
    context.terminal.err(`not refreshed  ${plainText(error.message)}\n`);
  }
}

/** After the first time only the cached ways count: the token may have expired. */
const NO_WAY = {
  discoveryToken: undefined,
  clusterInfoFile: undefined,
  clusterInfoUrl: undefined,
  clusterInfoHeaderFile: undefined,
  discoveryFile: undefined,
};

async function refresh(context: CommandContext, input: CommandInput, cache: DiscoveryCache): Promise<void> {
  const form = outputForm(input.options);
  const { found, before, by, hasChanged } = await cache.locked(() => renew(context, input, cache), {
    clock: context.clock,
    signal: context.stop,
  });
  const path = textOption(input.options, "kubeconfig");
  const kubeconfig =
    path === undefined ? undefined : await followKubeconfig(path, { before: before?.cluster, now: found.cluster });
  if (form === "json") {
    context.terminal.out(`${JSON.stringify({ ...discoveryJson(found), by, hasChanged, kubeconfig })}\n`);
    return;
  }
  context.terminal.out(`${hasChanged ? "changed" : "confirmed"}, by ${by}\n`);
  describeDiscovery(context, found);
  if (kubeconfig === undefined) return;
  const word = kubeconfig.hasChanged ? "brought up to date" : "is up to date";
  context.terminal.out(`kubectl   ${plainText(kubeconfig.path)} ${word}\n`);
}

interface Renewed {
  readonly found: CachedDiscovery;
  /** What was known until now. */
  readonly before: CachedDiscovery | undefined;
  readonly by: string;
  readonly hasChanged: boolean;
}

async function renew(context: CommandContext, input: CommandInput, cache: DiscoveryCache): Promise<Renewed> {
  const asked = await discoverAsAsked(context, input);
  if (asked !== undefined) {
    const before = await cache.load();
    await cache.save(asked);
    return { found: asked, before, by: "the way that was named", hasChanged: true };
  }
  const cached = await requireCached(cache);
  const text = await readToken(context, input.options);
  const token = text === undefined ? undefined : parseToken(text);
  const found = await refreshDiscovery(cached, { ...discoverDeps(context), token });
  await cache.save(found);
  return { found, before: cached, by: found.by, hasChanged: found.hasChanged };
}
