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
export { isStatus, type Status, type StatusCause, type StatusDetails } from "./status.ts";
