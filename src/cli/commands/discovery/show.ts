// `countersign discovery show [ADDRESS]`: the cluster's addresses and roots, found by the named way or read from the
// cache. Nothing is written.

import type { Command } from "../../command.ts";
import { ADDRESS_ARGUMENT } from "../../discovery-options.ts";
import { outputForm } from "../../options.ts";
import { describeDiscovery, discoveryJson } from "./describe.ts";
import { discoverOrLoad, SOURCE_OPTIONS } from "./source.ts";

export const discoveryShow: Command = {
  arguments: [ADDRESS_ARGUMENT],
  options: SOURCE_OPTIONS,
  examples: [
    "countersign discovery show --token-file token 10.0.0.1",
    "curl -s https://example.com/my-cluster.json | countersign discovery show --cluster-info-file -",
  ],
  run: async (context, input) => {
    const form = outputForm(input.options);
    const found = await discoverOrLoad(context, input);
    if (form === "json") context.terminal.out(`${JSON.stringify(discoveryJson(found))}\n`);
    else describeDiscovery(context, found);
    return 0;
  },
};
