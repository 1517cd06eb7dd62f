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
