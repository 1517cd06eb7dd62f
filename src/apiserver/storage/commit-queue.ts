// Group commit: writes that arrive while a batch is on its way to the disk form the next batch. A batch begins once all
// input that has arrived by now was read: a single write does not wait, and under load one flush carries all writes
// that came during the flush before it. A flush for each write would cost the main thread more, too. The queue needs no
// bound of its own: each entry is a request awaiting its answer, and limits/ bounds those.

import { Fault } from "../../kernel/outcome/index.ts";

export type Settled<R> = { readonly value: R } | { readonly fault: Fault };

interface CommitQueue<W, R> {
  submit(write: W): Promise<R>;
  /** Refuses further writes, resolves when the accepted ones are settled. */
  close(): Promise<void>;
}

interface Waiting<W, R> {
  readonly write: W;
  readonly resolve: (value: R) => void;
  readonly reject: (cause: unknown) => void;
}

/** `commit` gets a batch in order of arrival and answers for each write; if it throws, the whole batch has failed. */
export function createCommitQueue<W, R>(
  commit: (writes: readonly W[]) => Promise<readonly Settled<R>[]>,
): CommitQueue<W, R> {
  let waiting: Waiting<W, R>[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await new Promise((begin) => setImmediate(begin));
      const batch = waiting;
      waiting = [];
      await settle(batch, commit);
    }
    running = undefined;
  }

  return {
    submit: (write) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Fault("unavailable", "storage is closed"));
        waiting.push({ write, resolve, reject });
        running ??= run();
      }),
    close: async () => {
      closed = true;
      await running;
    },
  };
}

async function settle<W, R>(
  batch: readonly Waiting<W, R>[],
  commit: (writes: readonly W[]) => Promise<readonly Settled<R>[]>,
): Promise<void> {
  try {
    const answers = await commit(batch.map(({ write }) => write));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const answer = answers[index];
      if (answer !== undefined && "value" in answer) resolve(answer.value);
      else reject(answer?.fault);
    }
  } catch (cause) {
    for (const { reject } of batch) reject(cause);
  }
}
