// Namespace: a name that other objects live in. Its contents go with it (verbs/delete.ts).

import type { Namespace } from "../../../api/core/index.ts";
import { NAMESPACES } from "../../../api/meta/index.ts";
import { dnsLabel } from "../names.ts";
import { META_SHAPE } from "../shape.ts";
import { ALL_VERBS, defineStrategy, SUBRESOURCE_VERBS } from "../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf } from "../table.ts";

interface NamespaceWithSpec extends Namespace {
  spec?: { readonly finalizers?: readonly string[] };
}

/** Selectors that match namespaces by name rely on this label. */
const NAME_LABEL = "kubernetes.io/metadata.name";

function withNameLabel(namespace: NamespaceWithSpec): NamespaceWithSpec {
  const name = namespace.metadata.name ?? "";
  const labels = { ...namespace.metadata.labels, ...(name === "" ? {} : { [NAME_LABEL]: name }) };
  return { ...namespace, metadata: { ...namespace.metadata, labels } };
}

export const namespaceStrategy = defineStrategy<NamespaceWithSpec>({
  resource: NAMESPACES,
  shortNames: ["ns"],
  verbs: ALL_VERBS.filter((verb) => verb !== "deletecollection"),
  nameRule: dnsLabel,
  answersDeleteWithObject: true,
  shape: { metadata: META_SHAPE, spec: { finalizers: ["string"] }, status: { phase: "string" } },
  prepareCreate: (sent) =>
    withNameLabel({ ...sent, spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } }),
  prepareUpdate: (sent, current) => withNameLabel({ ...sent, spec: current.spec ?? {}, status: current.status ?? {} }),
  subresources: [
    {
      name: "status",
      verbs: SUBRESOURCE_VERBS,
      prepareUpdate: (sent, current) => ({ ...sent, spec: current.spec ?? {} }),
      validateUpdate: () => [],
    },
  ],
  selectableFields: (namespace) => ({ "status.phase": namespace.status?.phase ?? "" }),
  table: {
    columns: [NAME_COLUMN, column("Status"), column("Age")],
    cells: (namespace, nowMs) => [nameOf(namespace), namespace.status?.phase ?? "", ageCell(namespace, nowMs)],
  },
});
