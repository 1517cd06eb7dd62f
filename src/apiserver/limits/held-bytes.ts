// How many bytes of bodies are held at once, by each user and by all users of a pool. Bytes count from their arrival
// until the request is answered: a client that announces much and sends nothing holds nothing. Nodes and controllers
// have a pool of their own, so that no flood of others keeps a node from renewing its lease.

import type { UserInfo } from "../../api/access/index.ts";
import { classOf, type UserClass } from "./shares.ts";

export interface HeldBytes {
  /** For one request. */
  open(user: UserInfo): Hold;
}

interface Hold {
  /** False when they are too many. */
  add(bytes: number): boolean;
  /** Gives back all bytes that were added. */
  end(): void;
}

interface HeldBytesLimits {
  readonly all: number;
  readonly each: number;
}

/** The share of all bytes that is reserved for nodes and controllers. */
const KEPT_SHARE = 1 / 3;
const KEPT_CLASSES: ReadonlySet<UserClass> = new Set<UserClass>(["nodes", "system"]);

export function createHeldBytes({ all, each }: HeldBytesLimits): HeldBytes {
  const held = new Map<string, number>();
  const pools = { kept: { most: all * KEPT_SHARE, total: 0 }, others: { most: all * (1 - KEPT_SHARE), total: 0 } };
  return {
    open: (user) => {
      const pool = KEPT_CLASSES.has(classOf(user)) ? pools.kept : pools.others;
      const { username } = user;
      let own = 0;
      const count = (bytes: number) => {
        own += bytes;
        pool.total += bytes;
        const sum = (held.get(username) ?? 0) + bytes;
        if (sum > 0) held.set(username, sum);
        else held.delete(username);
      };
      return {
        add: (bytes) => {
          if ((held.get(username) ?? 0) + bytes > each || pool.total + bytes > pool.most) return false;
          count(bytes);
          return true;
        },
        end: () => count(-own),
      };
    },
  };
}
