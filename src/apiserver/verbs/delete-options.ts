// DeleteOptions, the body of a delete: preconditions, grace period, dry run, and what happens to dependents.

import type { Resource } from "../../api/meta/index.ts";
import { isJsonObject, type Json } from "../../kernel/json/index.ts";
import { invalid, notSupported } from "../resources/field-error.ts";
import { type Shape, shapeProblem } from "../resources/shape.ts";
import { badRequest, invalidObject } from "../status/status.ts";

export interface DeleteOptions {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isDryRun: boolean;
  /** Kinds without a grace period ignore it. */
  readonly gracePeriodSeconds: number | undefined;
  /** What happens to the dependents; undefined: as an earlier delete demanded, else Background. */
  readonly propagation: Propagation | undefined;
}

export type Propagation = "Foreground" | "Background" | "Orphan";

export const DELETE_OPTIONS: Resource = {
  group: "meta.k8s.io",
  version: "v1",
  plural: "deleteoptions",
  kind: "DeleteOptions",
  namespaced: false,
};
const POLICIES: readonly Propagation[] = ["Foreground", "Background", "Orphan"];

const NO_OPTIONS: DeleteOptions = {
  uid: "",
  resourceVersion: "",
  isDryRun: false,
  gracePeriodSeconds: undefined,
  propagation: undefined,
};

const SHAPE: Shape = {
  gracePeriodSeconds: "integer",
  propagationPolicy: "string",
  orphanDependents: "boolean",
  dryRun: ["string"],
  preconditions: { uid: "string", resourceVersion: "string" },
};

interface Sent {
  readonly gracePeriodSeconds?: number | null;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | null;
  readonly propagationPolicy?: string | null;
  /** The older form of Orphan (true) and Background (false). */
  readonly orphanDependents?: boolean | null;
  readonly dryRun?: readonly string[] | null;
}

export function parseDeleteOptions(body: Json | undefined): DeleteOptions {
  if (body === undefined) return NO_OPTIONS;
  if (!isJsonObject(body)) throw badRequest("the body of a delete must be DeleteOptions");
  const problem = shapeProblem(SHAPE, body, "DeleteOptions");
  if (problem !== undefined) throw badRequest(problem);
  const sent = body as Sent;
  const { preconditions, dryRun, gracePeriodSeconds } = sent;
  return {
    uid: preconditions?.uid ?? "",
    resourceVersion: preconditions?.resourceVersion ?? "",
    isDryRun: (dryRun ?? []).includes("All"),
    gracePeriodSeconds: gracePeriodSeconds ?? undefined,
    propagation: propagationOf(sent),
  };
}

function propagationOf({ propagationPolicy, orphanDependents }: Sent): Propagation | undefined {
  const given = propagationPolicy ?? undefined;
  if (given !== undefined && typeof orphanDependents === "boolean") {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    throw invalidObject(DELETE_OPTIONS, "", [invalid("propagationPolicy", given, detail)]);
  }
  if (given === undefined) {
    if (typeof orphanDependents !== "boolean") return undefined;
    return orphanDependents ? "Orphan" : "Background";
  }
  const policy = POLICIES.find((one) => one === given);
  if (policy !== undefined) return policy;
  throw invalidObject(DELETE_OPTIONS, "", [notSupported("propagationPolicy", given, [...POLICIES, "nil"])]);
}
