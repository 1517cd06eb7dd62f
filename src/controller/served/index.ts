export { type Discovering, getPreferredVersion, listServed } from "./discovery.ts";
export { createFollower, type Follower } from "./follower.ts";
