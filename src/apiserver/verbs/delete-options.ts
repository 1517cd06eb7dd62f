// DeleteOptions: the body of a delete. What this server uses of it are the preconditions and the dry run.

import type { Resource } from "../../api/meta/index.ts";
import { isJsonObject, type Json } from "../entry/json.ts";
import { badRequest, invalidObject } from "../reply/status.ts";
import { notSupported } from "../resources/field-error.ts";
import { type Shape, shapeProblem } from "../resources/shape.ts";

export interface DeleteOptions {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isDryRun: boolean;
}

const DELETE_OPTIONS: Resource = {
  group: "meta.k8s.io",
  version: "v1",
  plural: "deleteoptions",
  kind: "DeleteOptions",
  namespaced: false,
};
const POLICIES: readonly string[] = ["Foreground", "Background", "Orphan"];

const SHAPE: Shape = {
  gracePeriodSeconds: "integer",
  propagationPolicy: "string",
  orphanDependents: "boolean",
  dryRun: ["string"],
  preconditions: { uid: "string", resourceVersion: "string" },
};

/**
 * differs from upstream: the propagation policy is checked and then not used. No garbage collector runs here, so a
 * finalizer that waits for one would hold the object for ever.
 */
export function parseDeleteOptions(body: Json | undefined): DeleteOptions {
  if (body === undefined) return { uid: "", resourceVersion: "", isDryRun: false };
  if (!isJsonObject(body)) throw badRequest("the body of a delete must be DeleteOptions");
  const problem = shapeProblem(SHAPE, body, "DeleteOptions");
  if (problem !== undefined) throw badRequest(problem);
  const {
    preconditions,
    propagationPolicy = "Background",
    dryRun,
  } = body as {
    preconditions?: { uid?: string; resourceVersion?: string } | null;
    propagationPolicy?: string | null;
    dryRun?: readonly string[] | null;
  };
  if (propagationPolicy !== null && !POLICIES.includes(propagationPolicy)) {
    const error = notSupported("propagationPolicy", propagationPolicy, [...POLICIES, "nil"]);
    throw invalidObject(DELETE_OPTIONS, "", [error]);
  }
  return {
    uid: preconditions?.uid ?? "",
    resourceVersion: preconditions?.resourceVersion ?? "",
    isDryRun: (dryRun ?? []).includes("All"),
  };
}
