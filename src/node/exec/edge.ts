// What the plugin gets from the process it runs in, and gives back to it.

export interface ExecEdge {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}
