// A last question before a request leaves. undici asks its handler when the request's turn on an open connection has come,
// and writes it in the same turn of the event loop: between the answer and the bytes no other code of this process runs.

import type { Dispatcher } from "undici";

/** What undici's handlers are asked then; a throw there fails the request and leaves the connection as it is. */
type Start = NonNullable<Dispatcher.DispatchHandler["onRequestStart"]>;

export async function guardedBy(dispatcher: Dispatcher, guard: (() => void) | undefined): Promise<Dispatcher> {
  if (guard === undefined) return dispatcher;
  const { DecoratorHandler } = await import("undici");
  return dispatcher.compose((dispatch) => (options, handler) => {
    const guarded: Dispatcher.DispatchHandler = new DecoratorHandler(handler);
    const start: Start = (controller, context) => {
      guard();
      handler.onRequestStart?.(controller, context);
    };
    guarded.onRequestStart = start;
    return dispatch(options, guarded);
  });
}
