// The resources this product talks about, each named once.

// Where a kind lives on the wire: group, version, plural name, scope; and the paths made of them.

export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export interface ObjectPath {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

export function apiVersionOf(resource: Resource): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** `certificatesigningrequests.certificates.k8s.io`, `nodes`: the form that Status messages use. */
export function qualifiedName(resource: Resource): string {
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}

/** The URL path of a collection or an object. Every segment is escaped: names may hold `_`, `:` and spaces. */
export function resourcePath(resource: Resource, path: ObjectPath = {}): string {
  const prefix = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const segments: string[] = [];
  if (resource.namespaced && path.namespace !== undefined) segments.push("namespaces", path.namespace);
  segments.push(resource.plural);
  if (path.name !== undefined) segments.push(path.name);
  if (path.subresource !== undefined) segments.push(path.subresource);
  return `${prefix}/${segments.map(encodeURIComponent).join("/")}`;
}

function core(plural: string, kind: string, namespaced: boolean): Resource {
  return { group: "", version: "v1", plural, kind, namespaced };
}

export const NAMESPACES = core("namespaces", "Namespace", false);
export const NODES = core("nodes", "Node", false);
export const SECRETS = core("secrets", "Secret", true);
export const CONFIG_MAPS = core("configmaps", "ConfigMap", true);
export const EVENTS = core("events", "Event", true);
export const PODS = core("pods", "Pod", true);
export const BINDINGS = core("bindings", "Binding", true);
export const SERVICE_ACCOUNTS = core("serviceaccounts", "ServiceAccount", true);
export const SERVICES = core("services", "Service", true);
export const ENDPOINTS = core("endpoints", "Endpoints", true);
export const PERSISTENT_VOLUMES = core("persistentvolumes", "PersistentVolume", false);
export const PERSISTENT_VOLUME_CLAIMS = core("persistentvolumeclaims", "PersistentVolumeClaim", true);

/** The newer face of the same events: they are kept once, as EVENTS. */
export const EVENTS_V1: Resource = {
  group: "events.k8s.io",
  version: "v1",
  plural: "events",
  kind: "Event",
  namespaced: true,
};

export const ENDPOINT_SLICES: Resource = {
  group: "discovery.k8s.io",
  version: "v1",
  plural: "endpointslices",
  kind: "EndpointSlice",
  namespaced: true,
};

function storage(plural: string, kind: string): Resource {
  return { group: "storage.k8s.io", version: "v1", plural, kind, namespaced: false };
}

export const VOLUME_ATTACHMENTS = storage("volumeattachments", "VolumeAttachment");
export const CSI_NODES = storage("csinodes", "CSINode");
export const CSI_DRIVERS = storage("csidrivers", "CSIDriver");
export const STORAGE_CLASSES = storage("storageclasses", "StorageClass");

export const RUNTIME_CLASSES: Resource = {
  group: "node.k8s.io",
  version: "v1",
  plural: "runtimeclasses",
  kind: "RuntimeClass",
  namespaced: false,
};

export const PRIORITY_CLASSES: Resource = {
  group: "scheduling.k8s.io",
  version: "v1",
  plural: "priorityclasses",
  kind: "PriorityClass",
  namespaced: false,
};

function allocation(plural: string, kind: string, namespaced: boolean): Resource {
  return { group: "resource.k8s.io", version: "v1", plural, kind, namespaced };
}

export const RESOURCE_SLICES = allocation("resourceslices", "ResourceSlice", false);
export const RESOURCE_CLAIMS = allocation("resourceclaims", "ResourceClaim", true);

/** Bodies of subresources: they are sent to an object and never kept. */
export const EVICTIONS: Resource = {
  group: "policy",
  version: "v1",
  plural: "evictions",
  kind: "Eviction",
  namespaced: true,
};
export const TOKEN_REQUESTS: Resource = {
  group: "authentication.k8s.io",
  version: "v1",
  plural: "tokenrequests",
  kind: "TokenRequest",
  namespaced: true,
};

export const CSRS: Resource = {
  group: "certificates.k8s.io",
  version: "v1",
  plural: "certificatesigningrequests",
  kind: "CertificateSigningRequest",
  namespaced: false,
};

export const LEASES: Resource = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};

function rbac(plural: string, kind: string, namespaced: boolean): Resource {
  return { group: "rbac.authorization.k8s.io", version: "v1", plural, kind, namespaced };
}

export const ROLES = rbac("roles", "Role", true);
export const ROLE_BINDINGS = rbac("rolebindings", "RoleBinding", true);
export const CLUSTER_ROLES = rbac("clusterroles", "ClusterRole", false);
export const CLUSTER_ROLE_BINDINGS = rbac("clusterrolebindings", "ClusterRoleBinding", false);

export const SUBJECT_ACCESS_REVIEWS: Resource = {
  group: "authorization.k8s.io",
  version: "v1",
  plural: "subjectaccessreviews",
  kind: "SubjectAccessReview",
  namespaced: false,
};

export const SELF_SUBJECT_ACCESS_REVIEWS: Resource = {
  ...SUBJECT_ACCESS_REVIEWS,
  plural: "selfsubjectaccessreviews",
  kind: "SelfSubjectAccessReview",
};

export const SELF_SUBJECT_REVIEWS: Resource = {
  group: "authentication.k8s.io",
  version: "v1",
  plural: "selfsubjectreviews",
  kind: "SelfSubjectReview",
  namespaced: false,
};
