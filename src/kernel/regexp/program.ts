// A tree -> a small program for the matcher in match.ts. Counted repetitions are written out, so the size is limited.

import type { CharacterClass } from "./character-class.ts";
import { regexpFault } from "./class-syntax.ts";
import { type Assertion, parseRegexp, type Tree } from "./syntax.ts";

export type Step =
  | { readonly op: "take"; readonly of: CharacterClass; next: number }
  | { readonly op: "check"; readonly of: Assertion; next: number }
  | { readonly op: "fork"; next: number; other: number }
  | { readonly op: "done" };

export interface Program {
  readonly pattern: string;
  readonly steps: readonly Step[];
  readonly start: number;
}

/** `[a-z]{1,1000}` takes 2,000; what needs more than this is an attack or a mistake. */
const MAX_STEPS = 5_000;

/** Fault `malformed` for a pattern that is no RE2 or too large. */
export function compileRegexp(pattern: string): Program {
  const steps: Step[] = [];
  const add = (step: Step): number => {
    if (steps.length >= MAX_STEPS) throw regexpFault("expression too large");
    return steps.push(step) - 1;
  };
  const done = add({ op: "done" });
  return { pattern, steps, start: emit(parseRegexp(pattern), done, { add, steps }) };
}

interface Emitter {
  readonly steps: Step[];
  add(step: Step): number;
}

/** Written from the end: each part is told where to go on. Answers with where the part begins. */
function emit(tree: Tree, next: number, emitter: Emitter): number {
  switch (tree.kind) {
    case "class":
      return emitter.add({ op: "take", of: tree.of, next });
    case "assertion":
      return emitter.add({ op: "check", of: tree.of, next });
    case "sequence":
      return tree.parts.reduceRight((after, part) => emit(part, after, emitter), next);
    case "choice":
      return tree.parts
        .map((part) => emit(part, next, emitter))
        .reduceRight((other, begin) => emitter.add({ op: "fork", next: begin, other }));
    case "repeat":
      return emitRepeat(tree, next, emitter);
  }
}

function emitRepeat(tree: Extract<Tree, { kind: "repeat" }>, next: number, emitter: Emitter): number {
  const { part, min, max } = tree;
  let at = next;
  if (max === Number.POSITIVE_INFINITY) {
    const loop: Extract<Step, { op: "fork" }> = { op: "fork", next, other: next };
    at = emitter.add(loop);
    loop.next = emit(part, at, emitter);
  } else {
    for (let extra = min; extra < max; extra += 1) {
      at = emitter.add({ op: "fork", next: emit(part, at, emitter), other: next });
    }
  }
  for (let needed = 0; needed < min; needed += 1) at = emit(part, at, emitter);
  return at;
}
