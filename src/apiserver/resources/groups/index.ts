// The built-in kinds by group and version, in the order of discovery. Names, wire numbers and marks of fields are those
// of the Kubernetes 1.36 API types; only what is served is here, and what it is made of.
//
// A new kind is one line in `kinds` of its group, with the lines of its messages beside it, and one file in ../kinds/
// if it has rules of its own. Everything else is derived: protobuf, validation of fields, merging, OpenAPI, discovery.

import type { ApiGroup } from "../api-group.ts";
import { AUTHENTICATION, AUTHORIZATION, CERTIFICATES, RBAC } from "./access.ts";
import { CORE } from "./core.ts";
import { EXTENSIONS } from "./extensions.ts";
import { META, META_V1BETA1 } from "./meta.ts";
import { RESOURCE } from "./resource.ts";
import { STORAGE } from "./storage.ts";
import { AUTOSCALING, COORDINATION, DISCOVERY, EVENTS_GROUP, NODE, POLICY, SCHEDULING } from "./workings.ts";

export const API_GROUPS: readonly ApiGroup[] = [
  META,
  META_V1BETA1,
  CORE,
  AUTHENTICATION,
  AUTHORIZATION,
  AUTOSCALING,
  CERTIFICATES,
  COORDINATION,
  DISCOVERY,
  EVENTS_GROUP,
  NODE,
  POLICY,
  RBAC,
  RESOURCE,
  SCHEDULING,
  STORAGE,
  EXTENSIONS,
];
