// The same question to the API server itself, as kube-controller-manager asks it: may a holder of a bootstrap token, or a node, have a
// request approved by rule? Bindings say through whom; another authorizer than RBAC shows only here.

import { DEFAULT_TOKEN_GROUP } from "../../api/bootstrap/index.ts";
import {
  BOOTSTRAP_USER_PREFIX,
  BOOTSTRAPPERS_GROUP,
  NODE_USER_PREFIX,
  NODES_GROUP,
} from "../../api/certificates/index.ts";
import type { AccessReviews } from "../judging/index.ts";
import type { Bypass } from "./bypasses.ts";

const AUTHENTICATED = "system:authenticated";
/** Nobody in particular: whoever is in these groups has their rights. */
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
