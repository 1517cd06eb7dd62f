// What an endpoint can answer with: the formats its kind has, and the transforms of stored kinds.

import { apiVersionOf, type Resource } from "../../api/meta/index.ts";
import { findMessage } from "../encoding/index.ts";
import { FORMATS, type Format, OBJECT_TRANSFORMS, type Offer } from "../entry/accept.ts";
import type { Endpoint } from "../resources/registry.ts";

export function offerOf(endpoint: Endpoint, verb: string): Offer {
  const formats = FORMATS.filter((format) => isOffered(format, resourceOf(endpoint), verb));
  const isOwnKind = endpoint.kind === "stored" && endpoint.subresource?.speaks === undefined;
  return { formats, transforms: isOwnKind ? OBJECT_TRANSFORMS : [] };
}

/** Custom resources have no protobuf form, and a stream of YAML documents is nothing that clients know. */
function isOffered(format: Format, resource: Resource, verb: string): boolean {
  if (format === "yaml") return verb !== "watch";
  return format === "json" || findMessage({ apiVersion: apiVersionOf(resource), kind: resource.kind }) !== undefined;
}

function resourceOf(endpoint: Endpoint): Resource {
  if (endpoint.kind === "review") return endpoint.review.resource;
  if (endpoint.kind === "posted") return endpoint.subresource.resource;
  return endpoint.subresource?.speaks?.resource ?? endpoint.strategy.resource;
}
