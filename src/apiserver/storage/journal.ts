// What storage asks of a disk: take a whole batch or nothing, and answer only when it would survive a power cut.

export interface JournalBatch {
  /** The global revision after this batch. */
  readonly revision: number;
  readonly entries: readonly JournalEntry[];
}

interface JournalEntry {
  readonly key: string;
  /** The JSON text of the object; absent: the key is removed. */
  readonly text?: string;
}

/** What a journal holds when it is opened. */
export interface JournalRow {
  readonly key: string;
  readonly text: string;
  /** Of the object's last write: its resourceVersion. */
  readonly revision: number;
}

export interface Journal {
  append(batch: JournalBatch): Promise<void>;
  close(): Promise<void>;
}
