// What is POSTed to a pod: the node it shall run on, and the wish that it ends. What happens then: verbs/posts/pod.ts.

import type { Binding } from "../../../../api/core/index.ts";
import { BINDINGS, EVICTIONS } from "../../../../api/meta/index.ts";
import { notSupported, required } from "../../field-error.ts";
import { META_SHAPE } from "../../shape.ts";
import type { CreateSubresource } from "../../strategy.ts";

export const bindingSubresource: CreateSubresource<Binding> = {
  name: "binding",
  resource: BINDINGS,
  shape: { metadata: META_SHAPE, target: { apiVersion: "string", kind: "string", name: "string" } },
  validate: ({ target = {} }) => {
    const { kind = "", name = "" } = target;
    return [
      ...(kind === "" || kind === "Node" ? [] : [notSupported("target.kind", kind, ["Node", "<empty>"])]),
      ...(name === "" ? [required("target.name")] : []),
    ];
  },
};

export const evictionSubresource: CreateSubresource = {
  name: "eviction",
  resource: EVICTIONS,
  shape: {
    metadata: META_SHAPE,
    deleteOptions: {
      gracePeriodSeconds: "integer",
      propagationPolicy: "string",
      dryRun: ["string"],
      preconditions: { uid: "string", resourceVersion: "string" },
    },
  },
  validate: () => [],
};
