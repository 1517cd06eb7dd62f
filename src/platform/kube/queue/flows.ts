// Keys that wait, in turn among those they belong to: each flow has its own line, and the flows take turns. A requester
// of ten thousand waits for its own ten thousand; a requester of one waits for one of each other flow.

export interface Flows {
  add(key: string): void;
  /** The next key whose flow may go on; undefined when none waits or none may. */
  take(): string | undefined;
  has(key: string): boolean;
  size(): number;
  clear(): void;
  /** How long until the first flow that is held back may go on; undefined when none is. */
  heldMs(): number | undefined;
}

export interface FlowOptions {
  /** Whom a key belongs to. Asked when it is added. Default: all to one. */
  readonly flowOf?: ((key: string) => string) | undefined;
  /** How long a flow has to wait before its next key is handed out; asked for each key, 0 to go on. Default: never. */
  readonly holdMs?: ((flow: string) => number) | undefined;
  /** A key of this flow was handed out. */
  readonly onTake?: ((flow: string) => void) | undefined;
}

export function createFlows({ flowOf = () => "", holdMs = () => 0, onTake }: FlowOptions = {}): Flows {
  /** A Map keeps the order of insertion: a flow that was served goes to its end. */
  const lines = new Map<string, Set<string>>();
  const flows = new Map<string, string>();

  function serve(flow: string, line: Set<string>): string | undefined {
    const [key] = line;
    if (key === undefined) return undefined;
    line.delete(key);
    flows.delete(key);
    lines.delete(flow);
    if (line.size > 0) lines.set(flow, line);
    onTake?.(flow);
    return key;
  }

  return {
    add: (key) => {
      if (flows.has(key)) return;
      const flow = flowOf(key);
      flows.set(key, flow);
      const line = lines.get(flow);
      if (line === undefined) lines.set(flow, new Set([key]));
      else line.add(key);
    },
    take: () => {
      for (const [flow, line] of lines) if (holdMs(flow) <= 0) return serve(flow, line);
      return undefined;
    },
    has: (key) => flows.has(key),
    size: () => flows.size,
    clear: () => {
      lines.clear();
      flows.clear();
    },
    heldMs: () => {
      const waits = [...lines.keys()].map(holdMs).filter((ms) => ms > 0);
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
  };
}
