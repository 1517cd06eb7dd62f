// Event: a line in the diary of another object. Events about cluster-scoped objects live in `default` or `kube-system`.

import type { Event } from "../../../api/core/index.ts";
import { EVENTS } from "../../../api/meta/index.ts";
import { type FieldError, invalid } from "../field-error.ts";
import { ageOf } from "../human-duration.ts";
import { dnsSubdomain } from "../names.ts";
import { META_SHAPE } from "../shape.ts";
import { defineStrategy } from "../strategy.ts";
import { column, nameOf, type TableLayout } from "../table.ts";

interface StoredEvent extends Event {
  eventTime?: string;
  series?: { readonly count?: number; readonly lastObservedTime?: string };
}

function eventErrors(event: StoredEvent): readonly FieldError[] {
  const about = event.involvedObject?.namespace ?? "";
  const lives = event.metadata.namespace ?? "";
  const fits = about === "" ? lives === "default" || lives === "kube-system" : about === lives;
  return fits ? [] : [invalid("involvedObject.namespace", about, "does not match event.namespace")];
}

export const eventStrategy = defineStrategy<StoredEvent>({
  resource: EVENTS,
  shortNames: ["ev"],
  nameRule: dnsSubdomain,
  createsOnUpdate: true,
  shape: {
    metadata: META_SHAPE,
    involvedObject: { "*": "string" },
    reason: "string",
    message: "string",
    type: "string",
    source: { component: "string", host: "string" },
    reportingComponent: "string",
    reportingInstance: "string",
    firstTimestamp: "time",
    lastTimestamp: "time",
    eventTime: "microtime",
    count: "integer",
    series: { count: "integer", lastObservedTime: "microtime" },
  },
  prepareCreate: (sent) => ({ ...sent, involvedObject: sent.involvedObject ?? {} }),
  prepareUpdate: (sent) => ({ ...sent, involvedObject: sent.involvedObject ?? {} }),
  validateCreate: eventErrors,
  validateUpdate: eventErrors,
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
  table: eventTable(),
});

function eventTable(): TableLayout<StoredEvent> {
  return {
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
      event.series?.count ?? event.count ?? 1,
      nameOf(event),
    ],
  };
}

function firstSeen(event: StoredEvent): string | undefined {
  return event.firstTimestamp ?? event.eventTime;
}

function objectCell({ involvedObject: { kind = "", name = "" } }: StoredEvent): string {
  return name === "" ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function sourceCell(event: StoredEvent): string {
  const { component = event.reportingComponent ?? "", host = event.reportingInstance ?? "" } = (event.source ?? {}) as {
    component?: string;
    host?: string;
  };
  return host === "" ? component : `${component}, ${host}`;
}
