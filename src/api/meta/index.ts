export {
  type FieldRequirement,
  type FieldSelector,
  matchesFields,
  parseFieldSelector,
  requiredValue,
} from "./field-selector.ts";
export {
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
  matchesLabels,
  parseLabelSelector,
} from "./label-selector.ts";
export {
  INITIAL_EVENTS_END,
  type KubeList,
  type KubeObject,
  type ListMeta,
  type ObjectMeta,
  type OwnerReference,
  type WatchEvent,
  type WatchEventType,
} from "./object.ts";
export { apiVersionOf, type ObjectPath, qualifiedName, type Resource, resourcePath } from "./resource.ts";
export { parseResourceVersion } from "./resource-version.ts";
export {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  CSRS,
  EVENTS,
  LEASES,
  NAMESPACES,
  NODES,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SELF_SUBJECT_REVIEWS,
  SUBJECT_ACCESS_REVIEWS,
} from "./resources.ts";
export { createMatcher, type Selection } from "./selectors.ts";
export { isStatus, type Status, type StatusCause, type StatusDetails } from "./status.ts";
