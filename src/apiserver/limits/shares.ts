// How many of the places each user may hold: priority and fairness in small. Every class of users has places that no
// other class can take, and shares the rest up to a bound of its own. A flood by one user, with a leaked bootstrap
// token or without any credential, fills the places of its own class: nodes still renew their leases.

import type { UserInfo } from "../../api/access/index.ts";
import { MASTERS_GROUP, UNAUTHENTICATED_GROUP } from "../../api/access/index.ts";

export type UserClass = "system" | "nodes" | "accounts" | "bootstrap" | "others" | "anonymous";

interface Share {
  /** Of all places, those that are reserved for this class. */
  readonly kept: number;
  /** The most that the class may hold. */
  readonly most: number;
  /** The most that one of its users may hold. */
  readonly each: number;
}

/** Fractions of all places. Half of them are reserved for a class; machines that join with one token are one user. */
const SHARES: Readonly<Record<UserClass, Share>> = {
  system: { kept: 0.15, most: 1, each: 1 },
  nodes: { kept: 0.2, most: 0.8, each: 0.1 },
  accounts: { kept: 0.05, most: 0.6, each: 0.4 },
  bootstrap: { kept: 0.05, most: 0.4, each: 0.3 },
  others: { kept: 0.05, most: 0.6, each: 0.4 },
  anonymous: { kept: 0, most: 0.1, each: 0.1 },
};

const CONTROL_PLANE: ReadonlySet<string> = new Set(["system:kube-controller-manager", "system:kube-scheduler"]);

/** The controller that judges and signs the requests of nodes; its certificate names no groups. */
const OWN_ACCOUNTS = "system:serviceaccount:countersign-system:";

/** In this order; administrators are not counted. */
const RULES: readonly (readonly [UserClass, (user: UserInfo) => boolean])[] = [
  ["anonymous", ({ groups }) => groups.includes(UNAUTHENTICATED_GROUP)],
  ["nodes", ({ groups }) => groups.includes("system:nodes")],
  ["bootstrap", ({ groups }) => groups.includes("system:bootstrappers")],
  ["system", ({ groups }) => groups.includes("system:serviceaccounts:kube-system")],
  ["system", ({ username }) => CONTROL_PLANE.has(username) || username.startsWith(OWN_ACCOUNTS)],
  ["accounts", ({ groups }) => groups.includes("system:serviceaccounts")],
];

export function classOf(user: UserInfo): UserClass {
  return RULES.find(([, fits]) => fits(user))?.[0] ?? "others";
}

/** Administrators get in when all places are taken, so that they can repair the cluster. */
export function isAdministrator({ groups }: UserInfo): boolean {
  return groups.includes(MASTERS_GROUP);
}

export interface Places {
  /** Takes a place: returns what gives it back, or undefined when there is none for this user. */
  enter(user: UserInfo): (() => void) | undefined;
}

export function createPlaces(total: number): Places {
  const bounds = boundsOf(total);
  const kept = Object.values(bounds).reduce((sum, bound) => sum + bound.kept, 0);
  const inClass = new Map<UserClass, number>();
  const ofUser = new Map<string, number>();
  /** Places in use beyond those that are reserved for the classes of their users. */
  let shared = 0;

  function enter(user: UserInfo): (() => void) | undefined {
    const own = classOf(user);
    const [inside, held, bound] = [inClass.get(own) ?? 0, ofUser.get(user.username) ?? 0, bounds[own]];
    const isShared = inside >= bound.kept;
    if (inside >= bound.most || held >= bound.each || (isShared && shared >= total - kept)) return undefined;
    count(inClass, own, 1);
    count(ofUser, user.username, 1);
    if (isShared) shared += 1;
    return () => leave(own, user.username);
  }

  /** A shared place is given back first: the reserved places of a class are used before any other. */
  function leave(own: UserClass, username: string): void {
    if ((inClass.get(own) ?? 0) > bounds[own].kept) shared -= 1;
    count(inClass, own, -1);
    count(ofUser, username, -1);
  }

  return { enter };
}

function count<K>(counts: Map<K, number>, key: K, by: number): void {
  const left = (counts.get(key) ?? 0) + by;
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}

function boundsOf(total: number): Readonly<Record<UserClass, Share>> {
  const atLeastOne = (fraction: number) => Math.min(total, Math.max(1, Math.floor(total * fraction)));
  const bound = ({ kept, most, each }: Share): Share => ({
    kept: Math.floor(total * kept),
    most: atLeastOne(most),
    each: atLeastOne(each),
  });
  return Object.fromEntries(Object.entries(SHARES).map(([own, share]) => [own, bound(share)])) as Record<
    UserClass,
    Share
  >;
}
