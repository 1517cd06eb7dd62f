import { describe, expect, it } from "vitest";
import { CSRS, type KubeObject } from "../../api/meta/index.ts";
import type { Change } from "../storage/storage.ts";
import { bookmarkAt, eventOf, initialEventsEnd, type WatchedEvent } from "./events.ts";

const node = (tier: string, resourceVersion: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", labels: { tier }, resourceVersion },
});
const inTierA = (object: KubeObject) => object.metadata.labels?.["tier"] === "a";

const shownBy = (event: WatchedEvent) => (event.type === "ERROR" ? event.status : event.content.object);

const before = { a: node("a", "4"), b: node("b", "4") };
const now = { a: node("a", "5"), b: node("b", "5") };
const change = (type: Change["type"], object: KubeObject, previous?: KubeObject): Change => {
  const base = { type, revision: 5, key: "//nodes//n", object };
  return previous === undefined ? base : { ...base, previous };
};

describe("for a watcher with a selector", () => {
  it.each<[string, Change, string | undefined]>([
    ["a new object that matches is ADDED", change("ADDED", now.a), "ADDED"],
    ["a new object that does not match is nothing", change("ADDED", now.b), undefined],
    ["a change between matching contents is MODIFIED", change("MODIFIED", now.a, before.a), "MODIFIED"],
    ["a change into a match is ADDED", change("MODIFIED", now.a, before.b), "ADDED"],
    ["a change out of a match is DELETED", change("MODIFIED", now.b, before.a), "DELETED"],
    ["a change outside is nothing", change("MODIFIED", now.b, before.b), undefined],
    ["a deletion of a match is DELETED", change("DELETED", now.a, before.a), "DELETED"],
    ["a deletion outside is nothing", change("DELETED", now.b, before.b), undefined],
  ])("%s", (_, given, type) => {
    const event = eventOf(given, inTierA);
    expect(event?.type).toBe(type);
    // Whatever it shows matches the selector, and says at which revision it happened.
    if (event !== undefined) expect(shownBy(event)).toEqual(now.a);
  });

  it("an object that stops matching keeps the content of the history untouched", () => {
    eventOf(change("MODIFIED", now.b, before.a), inTierA);
    expect(before.a.metadata.resourceVersion).toBe("4");
  });
});

describe("bookmarks", () => {
  it("hold nothing but kind, apiVersion and revision", () => {
    const object = {
      kind: "CertificateSigningRequest",
      apiVersion: "certificates.k8s.io/v1",
      metadata: { resourceVersion: "7" },
    };
    expect(bookmarkAt(7, CSRS)).toEqual({ type: "BOOKMARK", content: { object } });
  });

  it("mark the end of the initial events with an annotation", () => {
    expect(initialEventsEnd(7, CSRS)).toMatchObject({
      content: { object: { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } } },
    });
  });
});
