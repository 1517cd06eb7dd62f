// Namespace. Its contents are deleted before it (controllers/namespaces).

import type { Namespace } from "../../../api/core/index.ts";
import { NAMESPACES } from "../../../api/meta/index.ts";
import { type FieldError, invalid } from "../field-error.ts";
import { dnsLabel, qualifiedKey } from "../names.ts";
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

function phaseErrors({ metadata, status = {} }: NamespaceWithSpec): readonly FieldError[] {
  const isGoing = metadata.deletionTimestamp !== undefined;
  const { phase = "" } = status;
  if (phase === (isGoing ? "Terminating" : "Active")) return [];
  const text = isGoing
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalid("status.Phase", phase, text)];
}

export const namespaceStrategy = defineStrategy<NamespaceWithSpec>({
  resource: NAMESPACES,
  shortNames: ["ns"],
  verbs: ALL_VERBS.filter((verb) => verb !== "deletecollection"),
  nameRule: dnsLabel,
  filledIn: ["spec"],
  answersDeleteWithObject: true,
  prepareCreate: (sent) =>
    withNameLabel({ ...sent, spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } }),
  prepareUpdate: (sent, current) => withNameLabel({ ...sent, spec: current.spec ?? {}, status: current.status ?? {} }),
  prepareDelete: (current) => ({ ...current, status: { ...current.status, phase: "Terminating" } }),
  isHeld: ({ spec }) => (spec?.finalizers ?? []).length > 0,
  subresources: [
    {
      name: "status",
      verbs: SUBRESOURCE_VERBS,
      prepareUpdate: (sent, current) => withNameLabel({ ...sent, spec: current.spec ?? {}, status: sent.status ?? {} }),
      validateUpdate: phaseErrors,
    },
    {
      // The only way to remove a finalizer of the spec: its holder reports here that it is done.
      name: "finalize",
      verbs: ["update"],
      prepareUpdate: (sent, current) => withNameLabel({ ...sent, spec: sent.spec ?? {}, status: current.status ?? {} }),
      validateUpdate: ({ spec = {} }) =>
        (spec.finalizers ?? []).flatMap((one, at) =>
          qualifiedKey(one).map((text) => invalid(`spec.finalizers[${at}]`, one, text)),
        ),
    },
  ],
  selectableFields: (namespace) => ({ "status.phase": namespace.status?.phase ?? "" }),
  table: {
    columns: [NAME_COLUMN, column("Status"), column("Age")],
    cells: (namespace, nowMs) => [nameOf(namespace), namespace.status?.phase ?? "", ageCell(namespace, nowMs)],
  },
});
