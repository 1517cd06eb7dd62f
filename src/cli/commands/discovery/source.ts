// Where the `discovery` commands get a cluster from: the way that the command line names, else the cache.

import { homedir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../../kernel/outcome/index.ts";
import {
  type CachedDiscovery,
  createDiscoveryCache,
  type DiscoveryCache,
  discover,
  wayOf,
} from "../../../node/index.ts";
import type { CommandContext, CommandInput, CommandOption } from "../../command.ts";
import { DISCOVERY_OPTIONS, discoverDeps, readDiscoveryMethod } from "../../discovery-options.ts";
import { durationOption, OUTPUT_OPTION, textOption } from "../../options.ts";

export const SOURCE_OPTIONS: readonly CommandOption[] = [
  ...DISCOVERY_OPTIONS,
  {
    flags: "--cache <file>",
    description: "what was found before (default: countersign/discovery.json in the user's cache)",
  },
  { flags: "--timeout <duration>", description: "how long to wait for the cluster", default: "5m" },
  OUTPUT_OPTION,
];

export function openCache({ env }: CommandContext, { options }: CommandInput): DiscoveryCache {
  const home = env["HOME"] || homedir();
  const root = env["XDG_CACHE_HOME"] || join(home, ".cache");
  return createDiscoveryCache(textOption(options, "cache") ?? join(root, "countersign", "discovery.json"));
}

/** Undefined when the command line names no way. */
export async function discoverAsAsked(
  context: CommandContext,
  { options, args }: CommandInput,
): Promise<CachedDiscovery | undefined> {
  const method = await readDiscoveryMethod(context, options, args[0]);
  if (method === undefined) return undefined;
  const cluster = await discover(method, discoverDeps(context, durationOption(options, "timeout")));
  const nowMs = context.clock.now();
  return { cluster, way: wayOf(method), foundMs: nowMs, confirmedMs: nowMs };
}

export async function discoverOrLoad(context: CommandContext, input: CommandInput): Promise<CachedDiscovery> {
  return (await discoverAsAsked(context, input)) ?? (await requireCached(openCache(context, input)));
}

export async function requireCached(cache: DiscoveryCache): Promise<CachedDiscovery> {
  const cached = await cache.load();
  if (cached !== undefined) return cached;
  throw new Fault(
    "not-found",
    `nothing was discovered before (${cache.path} is not there): give --token and an address, --cluster-info-file or ` +
      "--cluster-info-url",
    { detail: { todo: "countersign discovery refresh --token-file FILE ADDRESS keeps what it finds" } },
  );
}
