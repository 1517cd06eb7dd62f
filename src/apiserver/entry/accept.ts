// Content negotiation: in which of the forms that the client accepts is the answer written? JSON, YAML or protobuf;
// whole, as a Table or as bare metadata. Behaviour of k8s.io/apiserver/pkg/endpoints/handlers/negotiation.

import { apiVersionOf, type Resource } from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { type HttpHeaders, headerValue } from "../../platform/http/index.ts";
import { findMessage } from "../encoding/index.ts";
import type { Endpoint } from "../resources/registry.ts";

/** kubectl sends three clauses, a browser a dozen. */
const MAX_CLAUSES = 64;

export type Transform = "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "APIGroupDiscoveryList";

/** What objects and lists can be turned into. */
export const OBJECT_TRANSFORMS: readonly Transform[] = ["Table", "PartialObjectMetadata", "PartialObjectMetadataList"];

export type Format = "json" | "yaml" | "protobuf";

export const FORMATS: readonly Format[] = ["json", "yaml", "protobuf"];

export const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
};

export interface Accepted {
  readonly format: Format;
  /** Undefined: the object as it is. */
  readonly transform: Transform | undefined;
  /** Of the transformed kind: meta.k8s.io/v1 or v1beta1, apidiscovery.k8s.io/v2. */
  readonly version: string;
  /** Asked for by the media type; the query may ask for it as well. */
  readonly isPretty: boolean;
}

/** The object as it is, in JSON. */
export const WHOLE: Accepted = { format: "json", transform: undefined, version: "", isPretty: false };

/** What an endpoint can answer with: its formats, and the documents that its objects can be turned into. */
interface Offer {
  readonly formats: readonly Format[];
  readonly transforms: readonly Transform[];
}

interface Clause {
  readonly type: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Fault `unsupported` when the client accepts nothing that this endpoint offers. */
export function negotiate(headers: HttpHeaders, offer: Offer): Accepted {
  const header = headerValue(headers, "accept") ?? "";
  if (header.trim() === "") return WHOLE;
  for (const clause of parseClauses(header)) {
    const accepted = accept(clause, offer);
    if (accepted !== undefined) return accepted;
  }
  const types = offer.formats.map((format) => MEDIA_TYPES[format]);
  throw new Fault("unsupported", `only the following media types are accepted: ${types.join(", ")}`, {
    detail: { of: "answer" },
  });
}

/** A refusal is written in a format that the client accepts, or in JSON when it accepts none of ours. */
export function negotiateRefusal(headers: HttpHeaders): Accepted {
  const clauses = parseClauses(headerValue(headers, "accept") ?? "");
  const offer: Offer = { formats: FORMATS, transforms: [] };
  return clauses.map((clause) => accept(clause, offer)).find((accepted) => accepted !== undefined) ?? WHOLE;
}

/** The one of `offered` that the client prefers; undefined when it accepts none of them. */
export function acceptedType(header: string, offered: readonly string[]): string | undefined {
  const clauses = parseClauses(header.trim() === "" ? "*/*" : header);
  const fits = (type: string) => (one: string) => type === one || type === "*/*" || type === "application/*";
  return clauses.map(({ type }) => offered.find(fits(type))).find((type) => type !== undefined);
}

/** By descending preference; equals in the order of the header. */
function parseClauses(header: string): readonly Clause[] {
  const clauses = header.split(",", MAX_CLAUSES).map(parseClause);
  return clauses.filter((clause) => clause.quality > 0).sort((one, other) => other.quality - one.quality);
}

function parseClause(text: string): Clause {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = new Map(
    rest.map((part): [string, string] => {
      const equals = part.indexOf("=");
      return equals < 0 ? [part.toLowerCase(), ""] : [part.slice(0, equals).toLowerCase(), part.slice(equals + 1)];
    }),
  );
  const quality = Number(parameters.get("q") ?? "1");
  return { type: type.toLowerCase(), quality: Number.isNaN(quality) ? 0 : quality, parameters };
}

/** A client that accepts anything gets JSON. */
function formatOf(type: string): Format | undefined {
  if (type === "application/*" || type === "*/*") return "json";
  return FORMATS.find((format) => MEDIA_TYPES[format] === type);
}

function accept({ type, parameters }: Clause, offer: Offer): Accepted | undefined {
  const format = formatOf(type);
  if (format === undefined) return undefined;
  const as = parameters.get("as");
  const isPretty = ["1", "true"].includes(parameters.get("pretty") ?? "");
  if (as === undefined) return offer.formats.includes(format) ? { ...WHOLE, format, isPretty } : undefined;
  const transform = offer.transforms.find((one) => one === as);
  const version = parameters.get("v") ?? "";
  if (transform === undefined || !isServed(transform, format)) return undefined;
  return isVersion(transform, parameters.get("g"), version) ? { format, transform, version, isPretty } : undefined;
}

/** differs from upstream: no Table in protobuf. Its cells would be JSON there, too, and no client asks for it. */
function isServed(transform: Transform, format: Format): boolean {
  if (transform === "APIGroupDiscoveryList") return format === "json";
  return transform !== "Table" || format !== "protobuf";
}

function isVersion(transform: Transform, group: string | undefined, version: string): boolean {
  if (transform === "APIGroupDiscoveryList") return group === "apidiscovery.k8s.io" && version === "v2";
  return group === "meta.k8s.io" && ["v1", "v1beta1"].includes(version);
}

// What an endpoint can answer with: the formats of its kind, and the transforms of stored kinds.

export function offerOf(endpoint: Endpoint, verb: string): Offer {
  const formats = FORMATS.filter((format) => isOffered(format, resourceOf(endpoint), verb));
  const isOwnKind = endpoint.kind === "stored" && endpoint.subresource?.speaks === undefined;
  return { formats, transforms: isOwnKind ? OBJECT_TRANSFORMS : [] };
}

/** Custom resources have no protobuf form, and no client reads a watch in YAML. */
function isOffered(format: Format, resource: Resource, verb: string): boolean {
  if (format === "yaml") return verb !== "watch";
  return format === "json" || findMessage({ apiVersion: apiVersionOf(resource), kind: resource.kind }) !== undefined;
}

function resourceOf(endpoint: Endpoint): Resource {
  if (endpoint.kind === "review") return endpoint.review.resource;
  if (endpoint.kind === "posted") return endpoint.subresource.resource;
  return endpoint.subresource?.speaks?.resource ?? endpoint.strategy.resource;
}
