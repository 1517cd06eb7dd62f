// The tables by package, and which package an apiVersion speaks. Field numbers, JSON names and what may be absent are those of
// the Kubernetes 1.36 API types; only the kinds this server serves are here, and what they are made of.

import { AUTHENTICATION, AUTHORIZATION, CERTIFICATES, RBAC } from "./access.ts";
import { CORE } from "./core.ts";
import { CORE_NODE } from "./core-node.ts";
import { CORE_POD } from "./core-pod.ts";
import { CORE_VOLUMES } from "./core-volumes.ts";
import { RESOURCE } from "./devices.ts";
import { EXTENSIONS } from "./extensions.ts";
import { META, META_V1BETA1 } from "./meta.ts";
import { STORAGE } from "./storage.ts";
import { AUTOSCALING, COORDINATION, DISCOVERY, EVENTS, NODE, POLICY, SCHEDULING } from "./workings.ts";

export const PACKAGES: Readonly<Record<string, string>> = {
  meta: META,
  "meta.v1beta1": META_V1BETA1,
  core: CORE + CORE_NODE + CORE_POD + CORE_VOLUMES,
  authentication: AUTHENTICATION,
  authorization: AUTHORIZATION,
  autoscaling: AUTOSCALING,
  certificates: CERTIFICATES,
  coordination: COORDINATION,
  discovery: DISCOVERY,
  events: EVENTS,
  extensions: EXTENSIONS,
  node: NODE,
  policy: POLICY,
  rbac: RBAC,
  resource: RESOURCE,
  scheduling: SCHEDULING,
  storage: STORAGE,
};

export const PACKAGE_OF: Readonly<Record<string, string>> = {
  v1: "core",
  "meta.k8s.io/v1": "meta",
  "meta.k8s.io/v1beta1": "meta.v1beta1",
  "authentication.k8s.io/v1": "authentication",
  "authorization.k8s.io/v1": "authorization",
  "autoscaling/v1": "autoscaling",
  "certificates.k8s.io/v1": "certificates",
  "coordination.k8s.io/v1": "coordination",
  "discovery.k8s.io/v1": "discovery",
  "events.k8s.io/v1": "events",
  "apiextensions.k8s.io/v1": "extensions",
  "node.k8s.io/v1": "node",
  "policy/v1": "policy",
  "rbac.authorization.k8s.io/v1": "rbac",
  "resource.k8s.io/v1": "resource",
  "scheduling.k8s.io/v1": "scheduling",
  "storage.k8s.io/v1": "storage",
};
