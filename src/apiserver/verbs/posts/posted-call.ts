// A call to a subresource that is only posted to, with everything its handler needs (index.ts).

import type { KubeObject, Resource, Status } from "../../../api/meta/index.ts";
import type { Answer, Call } from "../../call.ts";
import type { CreateSubresource, Strategy } from "../../resources/strategy.ts";
import type { VerbParts } from "../stored-call.ts";

export interface PostedCall {
  readonly call: Call;
  readonly parts: VerbParts;
  /** The kind that the subresource belongs to. */
  readonly strategy: Strategy;
  readonly resource: Resource;
  /** Of the object that is posted to. Empty namespace for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: CreateSubresource;
}

/** What a handler answers that has done something and has nothing to show. */
export function done(): Answer {
  const body: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return { kind: "document", status: 201, body };
}

export type PostHandler = (posted: PostedCall, body: KubeObject) => Promise<Answer>;
