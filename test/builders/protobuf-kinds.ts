// Every kind that has a protobuf form here: what the API server stores, what it answers, and what it is asked with.

import type { KindName } from "../../src/apiserver/encoding/index.ts";

const KINDS: Readonly<Record<string, string>> = {
  v1: "Namespace ConfigMap Secret ServiceAccount Node Pod Event Service Endpoints PersistentVolume PersistentVolumeClaim Binding Status DeleteOptions",
  "apiextensions.k8s.io/v1": "CustomResourceDefinition",
  "authentication.k8s.io/v1": "TokenReview TokenRequest SelfSubjectReview",
  "authorization.k8s.io/v1":
    "SubjectAccessReview SelfSubjectAccessReview LocalSubjectAccessReview SelfSubjectRulesReview",
  "autoscaling/v1": "Scale",
  "certificates.k8s.io/v1": "CertificateSigningRequest",
  "coordination.k8s.io/v1": "Lease",
  "discovery.k8s.io/v1": "EndpointSlice",
  "events.k8s.io/v1": "Event",
  "meta.k8s.io/v1": "PartialObjectMetadata PartialObjectMetadataList",
  "meta.k8s.io/v1beta1": "PartialObjectMetadata PartialObjectMetadataList",
  "node.k8s.io/v1": "RuntimeClass",
  "policy/v1": "Eviction",
  "rbac.authorization.k8s.io/v1": "Role RoleBinding ClusterRole ClusterRoleBinding",
  "resource.k8s.io/v1": "ResourceSlice ResourceClaim",
  "scheduling.k8s.io/v1": "PriorityClass",
  "storage.k8s.io/v1": "StorageClass VolumeAttachment CSIDriver CSINode",
};

/** These are answered with, never kept: there are no lists of them. */
const WITHOUT_LIST =
  /^(Binding|Status|DeleteOptions|Token.*|.*Review|Scale|Eviction|PartialObjectMetadata|PartialObjectMetadataList)$/;

export const PROTOBUF_KINDS: readonly KindName[] = Object.entries(KINDS).flatMap(([apiVersion, names]) =>
  names.split(" ").flatMap((kind) => {
    const list = WITHOUT_LIST.test(kind) ? [] : [{ apiVersion, kind: `${kind}List` }];
    return [{ apiVersion, kind }, ...list];
  }),
);
