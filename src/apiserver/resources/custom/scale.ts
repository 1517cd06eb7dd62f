// The subresource scale: wanted and actual replicas as autoscaling/v1 Scale. A definition says at which paths its
// objects have the numbers. k8s.io/apiextensions-apiserver/pkg/registry/customresource.

import type { KubeObject, Resource } from "../../../api/meta/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json/index.ts";
import { type FieldError, invalid } from "../field-error.ts";
import type { Speech } from "../strategy.ts";
import type { ScalePaths } from "./definition.ts";

const SCALE: Resource = { group: "autoscaling", version: "v1", plural: "scales", kind: "Scale", namespaced: true };

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

export function scaleSpeech({ specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths): Speech {
  return {
    resource: SCALE,
    show: (object) => {
      const replicas = valueAt(object, specReplicasPath);
      const selector = valueAt(object, labelSelectorPath);
      const status = {
        replicas: numberOf(valueAt(object, statusReplicasPath)),
        ...(typeof selector === "string" && selector !== "" ? { selector } : {}),
      };
      const spec = typeof replicas === "number" && replicas !== 0 ? { replicas } : {};
      const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
      const metadata = { name, namespace, uid, resourceVersion, creationTimestamp };
      return { kind: "Scale", apiVersion: "autoscaling/v1", metadata, spec, status } as KubeObject;
    },
    keep: (said, object) => {
      const { replicas = 0 } = (said as Scale).spec ?? {};
      return withValue(object as unknown as JsonObject, stepsOf(specReplicasPath), replicas) as unknown as KubeObject;
    },
    validate: (said): readonly FieldError[] => {
      const { replicas = 0 } = (said as Scale).spec ?? {};
      return replicas < 0 ? [invalid(specReplicasPath ?? "", replicas, "should be a non-negative integer")] : [];
    },
  };
}

/** `.spec.replicas`: a definition with any other form of path is not accepted. */
function stepsOf(path = ""): readonly string[] {
  return path.split(".").filter((step) => step !== "");
}

function valueAt(object: KubeObject, path: string | undefined): Json | undefined {
  const steps = stepsOf(path);
  if (steps.length === 0) return undefined;
  return steps.reduce<Json | undefined>(
    (value, step) => (isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    object as unknown as Json,
  );
}

function numberOf(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}

function withValue(object: JsonObject, [step = "", ...rest]: readonly string[], value: Json): JsonObject {
  const inner = object[step];
  return { ...object, [step]: rest.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, rest, value) };
}
