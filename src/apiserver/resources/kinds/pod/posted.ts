// What is POSTed to a pod: the node it shall run on, and the wish that it ends. What happens then: verbs/posts/pod.ts.

import type { Binding } from "../../../../api/core/index.ts";
import { BINDINGS, EVICTIONS } from "../../../../api/meta/index.ts";
import { notSupported, required } from "../../field-error.ts";
import type { CreateSubresource } from "../../strategy.ts";

export const bindingSubresource: CreateSubresource<Binding> = {
  name: "binding",
  resource: BINDINGS,
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
  validate: () => [],
};
