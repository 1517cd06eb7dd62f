import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readEvents } from "./watch-stream.ts";

async function* pieces(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

async function read(source: AsyncIterable<Uint8Array>, maxBytes?: number): Promise<string[]> {
  const events: string[] = [];
  for await (const { type, object } of readEvents(source, maxBytes)) events.push(`${type} ${object.metadata.name}`);
  return events;
}

const line = (type: string, name: string) => `${JSON.stringify({ type, object: { metadata: { name } } })}\n`;

describe("readEvents", () => {
  it("gives the same events however the bytes are cut", async () => {
    const bytes = Buffer.from(line("ADDED", "ä€𐍈") + line("MODIFIED", "b") + line("BOOKMARK", "c"));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const parts = edges.slice(1).map((end, i) => bytes.subarray(edges[i], end));
        expect(await read(pieces(...parts))).toEqual(["ADDED ä€𐍈", "MODIFIED b", "BOOKMARK c"]);
      }),
    );
  });

  it("accepts blank lines and carriage returns between events", async () => {
    expect(await read(pieces("\r\n", line("ADDED", "a"), "\n", line("DELETED", "a")))).toEqual([
      "ADDED a",
      "DELETED a",
    ]);
  });

  it("ends with the stream", async () => {
    expect(await read(pieces())).toEqual([]);
  });

  const refused: Record<string, [source: string[], code: string]> = {
    "a stream that ends within an event": [[line("ADDED", "a").slice(0, -1)], "unavailable"],
    "a line that is not JSON": [["{\n"], "malformed"],
    "a line that is null": [["null\n"], "malformed"],
    "an event without a type": [['{"object":{"metadata":{}}}\n'], "malformed"],
    "an event of an unknown type": [[line("EXPLODED", "a")], "malformed"],
    "an event without an object": [['{"type":"ADDED"}\n'], "malformed"],
    "an object without metadata": [['{"type":"ADDED","object":{}}\n'], "malformed"],
    "an ERROR with a Status": [
      ['{"type":"ERROR","object":{"kind":"Status","reason":"Expired","code":410}}\n'],
      "expired",
    ],
    "an ERROR without a Status": [['{"type":"ERROR","object":{}}\n'], "unavailable"],
  };
  for (const [sentence, [source, code]] of Object.entries(refused)) {
    it(`refuses ${sentence}`, async () => {
      await expect(read(pieces(...source))).rejects.toMatchObject({ code });
    });
  }

  it("refuses a line longer than its limit before it is complete, and accepts one of that length", async () => {
    const event = line("ADDED", "a");
    expect(await read(pieces(event), event.length - 1)).toEqual(["ADDED a"]);
    await expect(read(pieces(event), event.length - 2)).rejects.toMatchObject({ code: "limit-exceeded" });
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.alloc(1_000, "x");
    }
    await expect(read(endless(), 10_000)).rejects.toMatchObject({ code: "limit-exceeded" });
  });
});
