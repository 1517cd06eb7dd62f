// Content negotiation: which of the forms a client takes is the answer written in? JSON only, whole or as a Table or as bare
// metadata. Behaviour of k8s.io/apiserver/pkg/endpoints/handlers/negotiation.

import { Fault } from "../../kernel/outcome/index.ts";
import { type HttpHeaders, headerValue } from "../../platform/http/index.ts";

/** kubectl sends three clauses, a browser a dozen. */
const MAX_CLAUSES = 64;

export type Transform = "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "APIGroupDiscoveryList";

/** What objects and lists can be turned into. */
export const OBJECT_TRANSFORMS: readonly Transform[] = ["Table", "PartialObjectMetadata", "PartialObjectMetadataList"];

export interface Accepted {
  /** Undefined: the object as it is. */
  readonly transform: Transform | undefined;
  /** Of the transformed kind: meta.k8s.io/v1 or v1beta1, apidiscovery.k8s.io/v2. */
  readonly version: string;
}

/** The object as it is. */
export const WHOLE: Accepted = { transform: undefined, version: "" };
const SERVED: readonly string[] = ["application/json"];

interface Clause {
  readonly type: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Fault `unsupported` when the client takes none of what this endpoint has. */
export function negotiate(headers: HttpHeaders, allowed: readonly Transform[]): Accepted {
  const header = headerValue(headers, "accept") ?? "";
  if (header.trim() === "") return WHOLE;
  for (const clause of parseClauses(header)) {
    const accepted = isJson(clause.type) ? accept(clause, allowed) : undefined;
    if (accepted !== undefined) return accepted;
  }
  throw new Fault("unsupported", `only the following media types are accepted: ${SERVED.join(", ")}`, {
    detail: { of: "answer" },
  });
}

/** The most wanted first; equals in the order they were written. */
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

function isJson(type: string): boolean {
  return type === "application/json" || type === "application/*" || type === "*/*";
}

function accept({ parameters }: Clause, allowed: readonly Transform[]): Accepted | undefined {
  const as = parameters.get("as");
  if (as === undefined) return WHOLE;
  const transform = allowed.find((one) => one === as);
  const version = parameters.get("v") ?? "";
  if (transform === undefined) return undefined;
  const isDiscovery = transform === "APIGroupDiscoveryList";
  const group = isDiscovery ? "apidiscovery.k8s.io" : "meta.k8s.io";
  const versions = isDiscovery ? ["v2"] : ["v1", "v1beta1"];
  return parameters.get("g") === group && versions.includes(version) ? { transform, version } : undefined;
}
