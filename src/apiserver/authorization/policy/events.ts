// The rule by which nearly every component writes events.

import type { RuleLine } from "../../../api/access/index.ts";

export const WRITE_EVENTS: RuleLine = "create,patch,update core,events.k8s.io events";
