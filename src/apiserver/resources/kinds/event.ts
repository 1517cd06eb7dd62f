// Event: something that happened to another object. Events about cluster-scoped objects are in `default` or
// `kube-system`.

import { EVENTS } from "../../../api/meta/index.ts";
import { defineStrategy } from "../strategy.ts";
import { ageOf, column, nameOf, type TableLayout } from "../table.ts";
import { eventErrors, type StoredEvent } from "./event-errors.ts";

function withDefaults(sent: StoredEvent): StoredEvent {
  return {
    ...sent,
    involvedObject: sent.involvedObject ?? {},
    source: sent.source ?? {},
    firstTimestamp: sent.firstTimestamp ?? null,
    lastTimestamp: sent.lastTimestamp ?? null,
    eventTime: sent.eventTime ?? null,
    reportingComponent: sent.reportingComponent ?? "",
    reportingInstance: sent.reportingInstance ?? "",
  };
}

export const EVENT_TABLE: TableLayout<StoredEvent> = {
  columns: [
    column("Last Seen"),
    column("Type"),
    column("Reason"),
    column("Object"),
    column("Subobject", 1),
    column("Source", 1),
    column("Message"),
    column("First Seen", 1),
    column("Count", 1),
    { ...column("Name", 1), format: "name" },
  ],
  cells: (event, nowMs) => [
    ageOf(event.series?.lastObservedTime ?? event.lastTimestamp ?? firstSeen(event), nowMs),
    event.type ?? "",
    event.reason ?? "",
    objectCell(event),
    (event.involvedObject as { fieldPath?: string }).fieldPath ?? "",
    sourceCell(event),
    (event.message ?? "").trim(),
    ageOf(firstSeen(event), nowMs),
    event.series?.count ?? (event.count || 1),
    nameOf(event),
  ],
};

function firstSeen(event: StoredEvent): string | undefined {
  return event.firstTimestamp ?? event.eventTime ?? undefined;
}

function objectCell({ involvedObject: { kind = "", name = "" } }: StoredEvent): string {
  return name === "" ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function sourceCell(event: StoredEvent): string {
  const component = event.source?.component || event.reportingComponent || "";
  const host = event.source?.host || event.reportingInstance || "";
  return host === "" ? component : `${component}, ${host}`;
}

export const eventStrategy = defineStrategy<StoredEvent>({
  resource: EVENTS,
  shortNames: ["ev"],
  createsOnUpdate: true,
  prepareCreate: withDefaults,
  prepareUpdate: withDefaults,
  validateCreate: (event) => eventErrors(event, "reportingComponent"),
  validateUpdate: (event) => eventErrors(event, "reportingComponent"),
  selectableFields: (event) => {
    const about = event.involvedObject as Readonly<Record<string, string | undefined>>;
    const parts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
    return {
      ...Object.fromEntries(parts.map((part) => [`involvedObject.${part}`, about[part] ?? ""])),
      reason: event.reason ?? "",
      reportingComponent: event.reportingComponent ?? "",
      source: event.source?.component || event.reportingComponent || "",
      type: event.type ?? "",
    };
  },
  table: EVENT_TABLE,
});
