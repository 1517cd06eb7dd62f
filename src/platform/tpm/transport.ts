// One way to a TPM. A transport carries whole messages, one at a time, and knows nothing of what they say.

export interface TpmTransport {
  /** For messages: a device's path, a socket's address. */
  readonly address: string;
  /**
   * One command out, one response back. After any failure the transport is not usable any more: an answer that comes late
   * would be taken for the answer to the next command.
   */
  exchange(command: Uint8Array, options: ExchangeOptions): Promise<Uint8Array>;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface ExchangeOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}
