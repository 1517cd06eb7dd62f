// A rule of NodeRestriction: one kind of object, and what a node may write of it. Pure: an attempt goes in, an
// objection or nothing comes out.

import type { Resource } from "../../../../api/meta/index.ts";
import type { Attempt } from "../../../call.ts";
import type { Questions } from "../../plugin.ts";

/** The node that writes, and what a rule may ask about the rest of the cluster. */
export interface NodeWriter {
  readonly node: string;
  readonly questions: Pick<Questions, "get" | "authorize">;
}

/** A text forbids; a missing object is reported as such, because the kubelet may know of it too late or too early. */
export type Objection = string | { readonly missing: Resource; readonly name: string };

export type WriteRule = (attempt: Attempt, writer: NodeWriter) => Objection | undefined;

/** Kubernetes reports an object that its caches miss by the singular: `pod "x" not found`. */
export function missing(resource: Resource, name: string): Objection {
  return { missing: { ...resource, plural: resource.kind.toLowerCase() }, name };
}

/** Quoted as in the messages of Kubernetes. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
