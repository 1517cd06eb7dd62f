export { type FieldRequirement, type FieldSelector, parseFieldSelector, requiredValue } from "./field-selector.ts";
export { type LabelOperator, type LabelRequirement, type LabelSelector, parseLabelSelector } from "./label-selector.ts";
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
export {
  BINDINGS,
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  CSI_DRIVERS,
  CSI_NODES,
  CSRS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  EVENTS,
  EVENTS_V1,
  EVICTIONS,
  LEASES,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  PRIORITY_CLASSES,
  RESOURCE_CLAIMS,
  RESOURCE_SLICES,
  ROLE_BINDINGS,
  ROLES,
  RUNTIME_CLASSES,
  SECRETS,
  SELF_SUBJECT_REVIEWS,
  SERVICE_ACCOUNTS,
  SERVICES,
  STORAGE_CLASSES,
  SUBJECT_ACCESS_REVIEWS,
  TOKEN_REQUESTS,
  VOLUME_ATTACHMENTS,
} from "./resources.ts";
export { createMatcher, type Selection } from "./selectors.ts";
export { isStatus, type Status, type StatusCause, type StatusDetails } from "./status.ts";
