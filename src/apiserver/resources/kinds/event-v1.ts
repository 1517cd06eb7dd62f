// events.k8s.io/v1 Event: the newer API of the same stored objects as core Events; only the names of some fields
// differ.

import { apiVersionOf, EVENTS, EVENTS_V1, type KubeObject } from "../../../api/meta/index.ts";
import { defineStrategy, type Face } from "../strategy.ts";
import { EVENT_TABLE, eventStrategy } from "./event.ts";
import { eventChangeErrors, eventErrors, newEventErrors, type StoredEvent } from "./event-errors.ts";

export interface ShownEvent extends KubeObject {
  regarding?: StoredEvent["involvedObject"];
  reportingController?: string;
  note?: string;
  deprecatedSource?: object;
  deprecatedFirstTimestamp?: string | null;
  deprecatedLastTimestamp?: string | null;
  deprecatedCount?: number;
}

/** Name here -> name in the core group. */
const RENAMED: Readonly<Record<string, string>> = {
  regarding: "involvedObject",
  note: "message",
  reportingController: "reportingComponent",
  deprecatedSource: "source",
  deprecatedFirstTimestamp: "firstTimestamp",
  deprecatedLastTimestamp: "lastTimestamp",
  deprecatedCount: "count",
};
const SHOWN_AS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(RENAMED).map(([shown, kept]) => [kept, shown]),
);

function renamed(object: KubeObject, names: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(object).map(([field, value]) => [
      Object.hasOwn(names, field) ? (names[field] ?? field) : field,
      value,
    ]),
  );
}

const face: Face<ShownEvent> = {
  of: EVENTS,
  // No name of one API is a name of the other, so nothing is overwritten.
  show: (kept) => {
    const shown = renamed(kept, SHOWN_AS);
    const said = Object.entries(shown).filter(([field, value]) => value !== "" || !field.startsWith("reporting"));
    return { ...(Object.fromEntries(said) as unknown as ShownEvent), apiVersion: apiVersionOf(EVENTS_V1) };
  },
  keep: (shown) => ({ ...(renamed(shown, RENAMED) as unknown as KubeObject), apiVersion: apiVersionOf(EVENTS) }),
};

function kept(shown: ShownEvent): StoredEvent {
  return face.keep(shown) as StoredEvent;
}

export const eventV1Strategy = defineStrategy<ShownEvent>({
  resource: EVENTS_V1,
  face,
  shortNames: ["ev"],
  createsOnUpdate: true,
  prepareCreate: (sent, facts) => face.show(eventStrategy.prepareCreate(kept(sent), facts)),
  prepareUpdate: (sent, current, facts) => face.show(eventStrategy.prepareUpdate(kept(sent), kept(current), facts)),
  validateCreate: (event) => [...eventErrors(kept(event), "reportingController"), ...newEventErrors(kept(event))],
  validateUpdate: (next, current) => [
    ...eventErrors(kept(next), "reportingController"),
    ...eventChangeErrors(kept(next), kept(current)),
  ],
  selectableFields: (event) => {
    const { reason = "", reportingComponent = "", type = "" } = kept({ ...event, regarding: event.regarding ?? {} });
    const about = (event.regarding ?? {}) as Readonly<Record<string, string | undefined>>;
    const parts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
    return {
      ...Object.fromEntries(parts.map((part) => [`regarding.${part}`, about[part] ?? ""])),
      reason,
      reportingController: reportingComponent,
      type,
    };
  },
  table: { columns: EVENT_TABLE.columns, cells: (event, nowMs) => EVENT_TABLE.cells(kept(event), nowMs) },
});
