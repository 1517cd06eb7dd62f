// What a check-up takes, and the clients that it asks with.

import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { KeySeal } from "../../platform/pair/index.ts";
import type { JoinPlaces } from "../join/index.ts";

export interface HealthOptions {
  readonly places: Pick<
    JoinPlaces,
    "certDirectory" | "kubeconfigPath" | "execKubeconfigPath" | "bootstrapPath" | "attestationPath"
  >;
  readonly directory: string;
  /** The name of a waiting request is made of it. */
  readonly nodeName: string;
  /** Opens a sealed key; absent where the join named nothing that could. */
  readonly keySeal?: KeySeal | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** For HTTPS_PROXY and NO_PROXY, and PATH, where the plugin is looked for. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface HealthClients {
  readonly node?: KubeClient;
  readonly bootstrap?: KubeClient;
}
