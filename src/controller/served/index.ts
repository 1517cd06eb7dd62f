export { type Discovering, getPreferredVersion, listServed, type ServedKind } from "./discovery.ts";
export { createFollower, type Follower, type FollowerOptions } from "./follower.ts";
