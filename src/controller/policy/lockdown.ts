// Is the cluster locked down? kube-controller-manager approves every requester that has the virtual rights, past every
// rule of ours; so their holders are looked up at the start, at every change of a policy and every ten minutes, and
// reported: in the status of each policy in Enforce, in a metric, in the log.

import type { ClusterRole, RoleBinding } from "../../api/access/index.ts";
import { DEFAULT_TOKEN_GROUP } from "../../api/bootstrap/index.ts";
import {
  BOOTSTRAP_USER_PREFIX,
  BOOTSTRAPPERS_GROUP,
  NODE_USER_PREFIX,
  NODES_GROUP,
} from "../../api/certificates/index.ts";
import { JOIN_POLICIES, type JoinPolicy } from "../../api/countersign/index.ts";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Log, Metrics } from "../../platform/report/index.ts";
import { type AccessReviews, createAccessReviews } from "../judging/access.ts";
import type { Feature, Syncing } from "../loop/index.ts";
import { type Bypass, findBypasses } from "./bypasses.ts";
import { planStatus } from "./plan.ts";

interface LockdownOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly policies: Syncing & {
    onChange(handler: () => void): void;
    objects(): readonly JoinPolicy[];
    readonly book: { faultOf(name: string): string | undefined };
  };
}

/** The one key of its queue. */
const LOCKDOWN_KEY = "lockdown";
const LOOK_EVERY_MS = 600_000;

/** One look, and what it found is told. */
export function createLockdownWatch(options: LockdownOptions): Feature {
  const count = options.metrics?.gauge({
    name: "countersign_lockdown_missing_bindings",
    help: "Bindings by which kube-controller-manager approves requests of nodes past the rules here.",
  });
  /** What was reported last: the same bindings are not named every ten minutes. */
  let said = "";
  const access = createAccessReviews(options.client, options.clock);
  const { policies } = options;
  return {
    name: "lockdown",
    needs: [policies],
    isPeriodic: true,
    wakesOn: (wake) => {
      wake(LOCKDOWN_KEY);
      policies.onChange(() => wake(LOCKDOWN_KEY));
    },
    handle: async (_key, signal) => {
      const bound = await readBypasses(options.client, signal);
      const bypasses = [...bound, ...(await askBypasses(access, bound, signal))];
      for (const right of ["nodeclient", "selfnodeclient"] as const) {
        count?.set({ right }, bypasses.filter((bypass) => bypass.right === right).length);
      }
      const words = JSON.stringify(bypasses);
      if (words !== said)
        options.log.info("bindings by which kube-controller-manager approves past the rules", { bypasses });
      said = words;
      await writeStatuses(options, bypasses);
      return { afterMs: LOOK_EVERY_MS };
    },
  };
}

async function readBypasses(client: KubeClient, signal: AbortSignal): Promise<readonly Bypass[]> {
  const [roles, bindings] = await Promise.all([
    client.list<ClusterRole>(CLUSTER_ROLES, { signal }),
    client.list<RoleBinding>(CLUSTER_ROLE_BINDINGS, { signal }),
  ]);
  return findBypasses(roles.items, bindings.items);
}

async function writeStatuses(
  { client, clock, log, policies }: LockdownOptions,
  bypasses: readonly Bypass[],
): Promise<void> {
  for (const policy of policies.objects()) {
    const { name = "", uid, resourceVersion } = policy.metadata;
    const status = planStatus(policy, { bypasses, fault: policies.book.faultOf(name), nowMs: clock.now() });
    if (status === undefined) continue;
    try {
      const target = { name, subresource: "status" };
      await client.patch(JOIN_POLICIES, target, { metadata: { uid, resourceVersion }, status }, { type: "merge" });
    } catch (error) {
      // The policy was changed meanwhile: its new state is looked at next time.
      if (!isFault(error, "conflict") && !isFault(error, "not-found")) throw error;
      log.debug("status of a policy not written", { policy: name, error });
    }
  }
}

// The same question to the API server itself, as kube-controller-manager asks it: may a holder of a bootstrap token, or
// a node, have a request approved by rule? Bindings say through whom; another authorizer than RBAC shows only here.

const AUTHENTICATED = "system:authenticated";
/** No single user: all members of these groups have their rights. */
const ASKED = [
  {
    right: "nodeclient",
    user: {
      username: `${BOOTSTRAP_USER_PREFIX}000000`,
      groups: [BOOTSTRAPPERS_GROUP, DEFAULT_TOKEN_GROUP, AUTHENTICATED],
    },
  },
  { right: "selfnodeclient", user: { username: `${NODE_USER_PREFIX}nobody`, groups: [NODES_GROUP, AUTHENTICATED] } },
] as const;

/** What the bindings that were found do not explain. */
export async function askBypasses(
  access: AccessReviews,
  found: readonly Bypass[],
  signal: AbortSignal,
): Promise<readonly Bypass[]> {
  const unexplained = ASKED.filter(({ right }) => found.every((bypass) => bypass.right !== right));
  const answers = await Promise.all(
    unexplained.map(async ({ right, user }) => ({ user, ...(await access.ask(right, user, signal)) })),
  );
  return answers
    .filter(({ isAllowed }) => isAllowed)
    .map(({ right, user }) => ({
      right,
      binding: "an authorizer other than RBAC, or a namespaced one",
      role: "",
      subjects: user.groups.filter((group) => group !== AUTHENTICATED).map((group) => `Group ${group}`),
    }));
}
