// One request and its whole answer, on undici's own handlers: a controller makes thousands of small calls a second, and
// a stream with its iterator around each answer of two kilobytes would cost as much as the call.

import type { Dispatcher } from "undici";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { Deadline } from "./deadline.ts";

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

interface ExchangeOptions {
  readonly deadline: Deadline;
  readonly maxBytes: number;
  /** A last question before the request leaves; what it throws keeps the request from being sent. See CallOptions. */
  readonly beforeSend?: (() => void) | undefined;
}

export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  options: ExchangeOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const handler = new AnswerHandler(options, { resolve, reject });
    // It may end while the request waits for a connection: then the caller is told now, and the request when its turn
    // comes.
    options.deadline.onEnd((reason) => handler.stop(reason));
    dispatcher.dispatch(request, handler);
  });
}

interface Settle {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #settle: Settle;
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #status = 0;
  #retryAfter: string | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #stopped: Fault | undefined;

  constructor(options: ExchangeOptions, settle: Settle) {
    this.#options = options;
    this.#settle = settle;
  }

  stop(reason: Fault): void {
    this.#stopped = reason;
    this.#controller?.abort(reason);
    this.#settle.reject(reason);
  }

  /**
   * The request's turn on an open connection has come, and it is written in this same turn of the event loop: between
   * the answer of `beforeSend` and the bytes no other code of this process runs. A throw fails the request and leaves
   * the connection as it is.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#stopped !== undefined) throw this.#stopped;
    this.#controller = controller;
    this.#options.beforeSend?.();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    const retryAfter = headers["retry-after"];
    this.#status = statusCode;
    this.#retryAfter = typeof retryAfter === "string" ? retryAfter : undefined;
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    const { maxBytes } = this.#options;
    if (this.#length > maxBytes)
      throw new Fault("limit-exceeded", `the server's answer is longer than ${maxBytes} bytes`);
  }

  onResponseEnd(): void {
    const [first] = this.#pieces;
    const body = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces, this.#length);
    this.#settle.resolve({ status: this.#status, retryAfter: this.#retryAfter, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle.reject(error);
  }
}
