// Lease, CSINode, ResourceSlice: a node writes those that carry its name. A request to create has the name in its body.

import {
  type CertificateSigningRequest,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  NODE_USER_PREFIX,
} from "../../../../api/certificates/index.ts";
import type { KubeObject } from "../../../../api/meta/index.ts";
import { isSameJson } from "../../../../kernel/json/index.ts";
import type { Attempt } from "../../../call.ts";
import { parseRequestOf } from "../../certificates.ts";
import { quoted, type WriteRule } from "./rule.ts";

const NODE_LEASES = "kube-node-lease";

export const leases: WriteRule = (attempt, { node }) => {
  if (attempt.namespace !== NODE_LEASES) return `can only access leases in the "${NODE_LEASES}" system namespace`;
  if (writtenName(attempt) === node) return undefined;
  return "can only access node lease with the same name as the requesting node";
};

export const csiNodes: WriteRule = (attempt, { node }) =>
  writtenName(attempt) === node ? undefined : "can only access CSINode with the same name as the requesting node";

function writtenName({ operation, name, object }: Attempt): string {
  return operation === "CREATE" ? (object?.metadata.name ?? "") : name;
}

interface ResourceSlice extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
}

/** The name cannot change later, so an update needs no check: the node authorizer allows only the node's own slices. */
export const resourceSlices: WriteRule = ({ operation, object, current }, { node }) => {
  if (operation === "UPDATE") return undefined;
  const slice: ResourceSlice | undefined = operation === "CREATE" ? object : current;
  if (slice?.spec?.nodeName === node) return undefined;
  const verb = operation === "CREATE" ? "create" : "delete";
  return `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
};

// CertificateSigningRequests: of the kubelet's own signers a node requests certificates for its own name. Other signers
// are left to their approvers.

export const certificateSigningRequests: WriteRule = ({ operation, subresource, object }, { node }) => {
  if (operation !== "CREATE" || subresource !== "") return undefined;
  const csr = object as CertificateSigningRequest;
  if (![KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER].includes(csr.spec?.signerName)) return undefined;
  const request = parseRequestOf(csr);
  if (request === undefined) return "unable to parse csr: PEM block type must be CERTIFICATE REQUEST";
  const wanted = `${NODE_USER_PREFIX}${node}`;
  return request.subject.commonName === wanted ? undefined : `can only create a node CSR with CN=${wanted}`;
};

// PersistentVolumeClaims: a node that has grown a file system reports it in the claim's status, and changes nothing
// else.

type Fields = Readonly<Record<string, unknown>>;

interface Claim extends KubeObject {
  readonly spec?: Fields;
  readonly status?: Fields;
}

/** What growing a volume changes. */
const OWN_STATUS: readonly string[] = ["capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"];
/** What every write changes. */
const OWN_METADATA: readonly string[] = ["resourceVersion", "managedFields"];

export const persistentVolumeClaims: WriteRule = ({ operation, subresource, object, current }, { node }) => {
  if (subresource !== "status") return "may only update PVC status";
  if (operation !== "UPDATE") return `unexpected operation ${quoted(operation)}`;
  const changed = changedFields(object, current);
  if (changed.length === 0) return undefined;
  const text = "is not allowed to update fields other than status.quantity and status.conditions";
  return `node ${quoted(node)} ${text}: ${changed.join(", ")}`;
};

/**
 * differs from upstream: the message names the changed fields; there the whole difference is printed, in a form that
 * varies.
 */
function changedFields(next: Claim | undefined, current: Claim | undefined): readonly string[] {
  return [
    ...changedIn("metadata", without(next?.metadata, OWN_METADATA), without(current?.metadata, OWN_METADATA)),
    ...changedIn("spec", next?.spec, current?.spec),
    ...changedIn("status", without(next?.status, OWN_STATUS), without(current?.status, OWN_STATUS)),
  ];
}

function without(fields: object = {}, names: readonly string[] = []): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function changedIn(path: string, next: Fields = {}, current: Fields = {}): readonly string[] {
  const names = new Set([...Object.keys(next), ...Object.keys(current)]);
  const read = (fields: Fields, name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
  const changed = [...names].filter((name) => !isSameJson(read(next, name), read(current, name)));
  return changed.sort().map((name) => `${path}.${name}`);
}
