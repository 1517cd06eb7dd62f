// All kinds this server serves, in the order of discovery. A new kind is one line here and one file in kinds/.

import type { Resource } from "../../api/meta/index.ts";
import type { RequestInfo } from "../entry/request-info.ts";
import type { Endpoint } from "./endpoint.ts";
import { csrStrategy } from "./kinds/csr/index.ts";
import { eventStrategy } from "./kinds/event.ts";
import { configMapStrategy, secretStrategy } from "./kinds/key-value.ts";
import { leaseStrategy } from "./kinds/lease.ts";
import { namespaceStrategy } from "./kinds/namespace.ts";
import { nodeStrategy } from "./kinds/node.ts";
import { RBAC_STRATEGIES } from "./kinds/rbac.ts";
import { selfSubjectAccessReview, selfSubjectReview, subjectAccessReview } from "./kinds/reviews.ts";
import type { Review } from "./review.ts";
import type { Strategy } from "./strategy.ts";

export const STRATEGIES: readonly Strategy[] = [
  configMapStrategy,
  eventStrategy,
  namespaceStrategy,
  nodeStrategy,
  secretStrategy,
  csrStrategy,
  leaseStrategy,
  ...RBAC_STRATEGIES,
];

export const REVIEWS: readonly Review[] = [selfSubjectReview, selfSubjectAccessReview, subjectAccessReview];

export function isServedVersion(group: string, version: string): boolean {
  return [...STRATEGIES, ...REVIEWS].some(({ resource }) => resource.group === group && resource.version === version);
}

type Asked = Pick<RequestInfo, "group" | "version" | "resource" | "subresource" | "namespace" | "parts">;

/** Undefined when nothing is served there. */
export function findEndpoint(asked: Asked): Endpoint | undefined {
  if (asked.parts.length > 3) return undefined;
  const review = REVIEWS.find((one) => isAt(one.resource, asked));
  if (review !== undefined) return asked.parts.length === 1 ? { kind: "review", review } : undefined;
  const strategy = STRATEGIES.find((one) => isAt(one.resource, asked));
  if (strategy === undefined || !fitsScope(strategy.resource, asked)) return undefined;
  const subresource = strategy.subresources.find((one) => one.name === asked.subresource);
  if (asked.subresource !== "" && subresource === undefined) return undefined;
  return { kind: "stored", strategy, subresource };
}

function isAt(resource: Resource, asked: Asked): boolean {
  return resource.group === asked.group && resource.version === asked.version && resource.plural === asked.resource;
}

/** `/namespaces/x/nodes` is nothing; `/namespaces/x` itself carries its own name as namespace. */
function fitsScope(resource: Resource, asked: Asked): boolean {
  if (resource.namespaced) return asked.namespace !== "" || asked.parts.length === 1;
  return asked.namespace === "" || resource.plural === "namespaces";
}
