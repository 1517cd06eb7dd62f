// One round with the server: get the present state, or resume where the last round ended, then follow the changes until
// the stream ends. The state comes as a streaming list where the server knows it, else as a list in pages.
// Upstream: client-go's reflector. differs from upstream: lists are always read at the latest state, never from a cache
// that may lag behind what this process has already seen.

import { INITIAL_EVENTS_END, type KubeObject, type Resource, type WatchEvent } from "../../../api/meta/index.ts";
import { Fault, type FaultCode, isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../clock/index.ts";
import { onAbort } from "../../signals/index.ts";
import type { KubeClient, ListOptions } from "../client.ts";
import { createObjectStore } from "./store.ts";

/** client-go's page size. */
const PAGE_SIZE = 500;

/** Each watch asks to be ended after a time in this span, so that the watches of many clients do not end together. */
const WATCH_SECONDS_MIN = 300;
const WATCH_SECONDS_SPAN = 300;

export interface Selection {
  readonly namespace?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
}

export interface Source {
  readonly client: KubeClient;
  readonly resource: Resource;
  readonly selection: Selection;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Where the next round begins. */
export interface Position {
  /** Undefined: from the present state. */
  resourceVersion: string | undefined;
  /** False once the server has answered that it does not know streaming lists. */
  streaming: boolean;
}

export interface Sink<T extends KubeObject> {
  /** What is kept of an object. Asked as soon as it was read: a long list must not be held whole until its end. */
  keep(object: T): T;
  replace(objects: Iterable<T>): void;
  apply(event: WatchEvent<T>): void;
}

export interface Round<T extends KubeObject> {
  readonly source: Source;
  readonly position: Position;
  readonly sink: Sink<T>;
  readonly signal: AbortSignal;
}

/** Resolves when the server ends the stream; `position` says where to go on, also after a failure. */
export async function follow<T extends KubeObject>(round: Round<T>): Promise<void> {
  const { position } = round;
  if (position.resourceVersion === undefined) {
    if (position.streaming && (await followStreamingList(round))) return;
    await list(round);
  }
  await watch(round);
}

/** False when the server refuses streaming lists, at least this time. */
async function followStreamingList<T extends KubeObject>(round: Round<T>): Promise<boolean> {
  try {
    await streamList(round);
    return true;
  } catch (failure) {
    const isRefusal = isFault(failure) && REFUSALS.has(failure.code) && round.position.resourceVersion === undefined;
    if (!isRefusal) throw failure;
    if (NOT_UNDERSTOOD.has(failure.code)) round.position.streaming = false;
    return false;
  }
}

/** Answers after which a plain list may do better. */
const REFUSALS: ReadonlySet<FaultCode> = new Set(["invalid", "malformed", "unsupported", "forbidden", "not-found"]);
/** Of these, the ones that will not change: the server does not know the parameters. */
const NOT_UNDERSTOOD: ReadonlySet<FaultCode> = new Set(["invalid", "malformed", "unsupported"]);

async function streamList<T extends KubeObject>(round: Round<T>): Promise<void> {
  const { source, position, sink, signal } = round;
  // Collected apart: the store changes in one step, when the set is complete.
  const initial = createObjectStore<T>();
  const patience = startPatience(source.clock, signal);
  try {
    const options = { ...watchOptions(source), sendInitialEvents: true, signal: patience.signal };
    for await (const event of source.client.watch<T>(source.resource, options)) {
      if (position.resourceVersion !== undefined) {
        take(round, event);
        continue;
      }
      patience.renew();
      initial.apply(kept(sink, event));
      if (!endsInitialEvents(event)) continue;
      patience.end();
      sink.replace(initial.list());
      position.resourceVersion = event.object.metadata.resourceVersion;
    }
  } catch (cause) {
    if (!patience.isOver()) throw cause;
    throw new Fault("unsupported", "the server did not mark the end of the initial events", { cause });
  } finally {
    patience.close();
  }
  if (position.resourceVersion === undefined) {
    throw new Fault("unavailable", "the server ended the stream before the initial events were complete");
  }
}

async function list<T extends KubeObject>(round: Round<T>): Promise<void> {
  try {
    await listPages(round, PAGE_SIZE);
  } catch (failure) {
    // The continue token outlived the history of the server: one list in one piece cannot.
    if (!isFault(failure, "expired")) throw failure;
    await listPages(round, undefined);
  }
}

async function listPages<T extends KubeObject>(round: Round<T>, limit: number | undefined): Promise<void> {
  const { source, position, sink, signal } = round;
  const objects: T[] = [];
  let page: ListOptions = { ...source.selection, limit, signal };
  for (;;) {
    const { items, metadata } = await source.client.list<T>(source.resource, page);
    for (const item of items) objects.push(sink.keep(item));
    if (metadata.continue === undefined || metadata.continue === "") {
      sink.replace(objects);
      position.resourceVersion = metadata.resourceVersion;
      return;
    }
    page = { ...page, continue: metadata.continue };
  }
}

async function watch<T extends KubeObject>(round: Round<T>): Promise<void> {
  const { source, position, signal } = round;
  const options = { ...watchOptions(source), resourceVersion: position.resourceVersion, signal };
  for await (const event of source.client.watch<T>(source.resource, options)) take(round, event);
}

function take<T extends KubeObject>({ position, sink }: Round<T>, event: WatchEvent<T>): void {
  sink.apply(kept(sink, event));
  position.resourceVersion = event.object.metadata.resourceVersion ?? position.resourceVersion;
}

/** A bookmark carries a version and no object to keep anything of. */
function kept<T extends KubeObject>(sink: Sink<T>, event: WatchEvent<T>): WatchEvent<T> {
  return event.type === "BOOKMARK" ? event : { ...event, object: sink.keep(event.object) };
}

function watchOptions({ selection, random }: Source) {
  return { ...selection, timeoutSeconds: WATCH_SECONDS_MIN + Math.floor(random() * WATCH_SECONDS_SPAN) };
}

function endsInitialEvents({ type, object }: WatchEvent): boolean {
  return type === "BOOKMARK" && object.metadata.annotations?.[INITIAL_EVENTS_END] === "true";
}

// How long to wait for a server that was asked for a streaming list. One that does not know the parameter holds the
// stream open and never says where the initial events end; a client that trusts it waits for ever.

/** Since the last event, so that a long list may take its time. */
const INITIAL_EVENTS_PATIENCE_MS = 30_000;

interface Patience {
  readonly signal: AbortSignal;
  /** An event came. */
  renew(): void;
  /** The initial events are complete: from now on silence is normal. */
  end(): void;
  isOver(): boolean;
  close(): void;
}

/** Aborts the stream when it falls silent before the initial events are complete. */
function startPatience(clock: Clock, outer: AbortSignal): Patience {
  const stream = new AbortController();
  const waiting = new AbortController();
  const leave = onAbort(outer, () => stream.abort(outer.reason));
  let lastMs = clock.now();
  let isOver = false;

  async function wait(): Promise<void> {
    for (let leftMs = INITIAL_EVENTS_PATIENCE_MS; leftMs > 0; ) {
      await clock.sleep(leftMs, waiting.signal);
      leftMs = lastMs + INITIAL_EVENTS_PATIENCE_MS - clock.now();
    }
    isOver = true;
    stream.abort();
  }
  wait().catch((failure: unknown) => {
    if (!isFault(failure, "aborted")) throw failure;
  });

  return {
    signal: stream.signal,
    renew: () => {
      lastMs = clock.now();
    },
    end: () => waiting.abort(),
    isOver: () => isOver,
    close: () => {
      waiting.abort();
      leave();
    },
  };
}
