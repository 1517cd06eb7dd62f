// Validation of Events. Those with an eventTime must name the reporting controller and the action; the others only have
// to be in the namespace of their object. Behaviour of kubernetes/pkg/apis/core/validation/events.go.

import type { Event } from "../../../api/core/index.ts";
import { type FieldError, immutableField, invalid, required } from "../field-error.ts";
import { qualifiedKey } from "../names.ts";

/**
 * An Event as it is stored, through whichever of its two APIs it was written. Unset times are `null`, as in Kubernetes.
 */
export interface StoredEvent extends Omit<Event, "firstTimestamp" | "lastTimestamp" | "source"> {
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  source?: { readonly component?: string; readonly host?: string };
  action?: string;
  related?: object;
  series?: { readonly count?: number; readonly lastObservedTime?: string };
}

const MAX_WORD = 128;
const MAX_MESSAGE = 1_024;

/** `controller` is the name that this API gives to the field reportingController. */
export function eventErrors(event: StoredEvent, controller: string): readonly FieldError[] {
  const isNew = (event.eventTime ?? "") !== "";
  return [...placeErrors(event, isNew), ...(isNew ? tellerErrors(event, controller) : [])];
}

function placeErrors({ involvedObject, metadata }: StoredEvent, isNew: boolean): readonly FieldError[] {
  const { namespace: about = "" } = involvedObject;
  const { namespace: lives = "" } = metadata;
  const isHome = lives === "default" || (isNew && lives === "kube-system");
  const fits = about === "" ? isHome : isNew || about === lives;
  return fits ? [] : [invalid("involvedObject.namespace", about, "does not match event.namespace")];
}

function tellerErrors(event: StoredEvent, controller: string): readonly FieldError[] {
  const { reportingComponent = "", reportingInstance = "", action = "", reason = "", message = "" } = event;
  return [
    ...(reportingComponent === "" ? [required(controller)] : []),
    ...qualifiedKey(reportingComponent).map((text) => invalid(controller, reportingComponent, text)),
    ...wordErrors(reportingInstance, "reportingInstance"),
    ...wordErrors(action, "action"),
    ...wordErrors(reason, "reason"),
    ...(message.length > MAX_MESSAGE ? [invalid("message", "", `can have at most ${MAX_MESSAGE} characters`)] : []),
  ];
}

function wordErrors(word: string, field: string): readonly FieldError[] {
  if (word === "") return [required(field)];
  return word.length > MAX_WORD ? [invalid(field, "", `can have at most ${MAX_WORD} characters`)] : [];
}

/** What only events.k8s.io requires: no deprecated fields. */
export function newEventErrors(event: StoredEvent): readonly FieldError[] {
  const { type = "" } = event;
  return [
    ...seriesErrors(event),
    ...((event.eventTime ?? "") === "" ? [required("eventTime")] : []),
    ...(type === "Normal" || type === "Warning" ? [] : [invalid("type", "", `has invalid value: ${type}`)]),
    ...oldFieldErrors(event),
  ];
}

function oldFieldErrors({ firstTimestamp, lastTimestamp, count = 0, source = {} }: StoredEvent): readonly FieldError[] {
  const unset = "needs to be unset";
  return [
    ...((firstTimestamp ?? "") === "" ? [] : [invalid("firstTimestamp", "", unset)]),
    ...((lastTimestamp ?? "") === "" ? [] : [invalid("lastTimestamp", "", unset)]),
    ...(count === 0 ? [] : [invalid("count", "", unset)]),
    ...((source.component ?? "") === "" && (source.host ?? "") === "" ? [] : [invalid("source", "", unset)]),
  ];
}

function seriesErrors({ series }: StoredEvent): readonly FieldError[] {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalid("series.count", "", "should be at least 2")] : []),
    ...((series.lastObservedTime ?? "") === "" ? [required("series.lastObservedTime")] : []),
  ];
}

const FIXED = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingComponent",
  "reportingInstance",
] as const;

/** Events are immutable except for their series. */
export function eventChangeErrors(next: StoredEvent, current: StoredEvent): readonly FieldError[] {
  return FIXED.flatMap((field) => {
    const shown = field === "reportingComponent" ? "reportingController" : field;
    return immutableField(shown, next[field], current[field]);
  });
}
