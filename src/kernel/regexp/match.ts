// Does a text match? All ways through the program are followed at once, one character after the other, so the time is
// at most text × program: no pattern can make the server think for minutes, as a backtracking engine can be made to.

import { takes } from "./character-class.ts";
import type { Program, Step } from "./program.ts";
import type { Assertion } from "./syntax.ts";

/** Steps that all patterns together may take for one object. */
export interface MatchBudget {
  steps: number;
}

/** Some seconds of one core at worst. A large custom resource needs a few hundred thousand. */
const MAX_STEPS_PER_OBJECT = 20_000_000;

export function createMatchBudget(): MatchBudget {
  return { steps: MAX_STEPS_PER_OBJECT };
}

/** True when the pattern is found anywhere in the text. Out of budget, nothing matches. */
export function matches(program: Program, text: string, budget: MatchBudget): boolean {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  let current = new Set<number>();
  for (let at = 0; at <= points.length; at += 1) {
    reach({ program, points, at }, program.start, current);
    budget.steps -= current.size + 1;
    if (budget.steps < 0) return false;
    if (current.has(DONE)) return true;
    const point = points[at];
    if (point === undefined) return false;
    current = advance({ program, points, at: at + 1 }, current, point);
  }
  return current.has(DONE);
}

/** The first step of every program. */
const DONE = 0;

interface Place {
  readonly program: Program;
  readonly points: readonly number[];
  readonly at: number;
}

function advance(place: Place, current: ReadonlySet<number>, point: number): Set<number> {
  const next = new Set<number>();
  for (const index of current) {
    const step = place.program.steps[index];
    if (step?.op === "take" && takes(step.of, point)) reach(place, step.next, next);
  }
  return next;
}

/** Adds a step and everything that can be reached from it without taking a character. */
function reach(place: Place, start: number, into: Set<number>): void {
  const pending = [start];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (into.has(index)) continue;
    into.add(index);
    const step = place.program.steps[index];
    if (step !== undefined) pending.push(...onward(step, place));
  }
}

function onward(step: Step, place: Place): readonly number[] {
  if (step.op === "fork") return [step.next, step.other];
  return step.op === "check" && isTrue(step.of, place) ? [step.next] : [];
}

const NEWLINE = 10;

function isTrue(assertion: Assertion, { points, at }: Place): boolean {
  switch (assertion) {
    case "textBegin":
      return at === 0;
    case "textEnd":
      return at === points.length;
    case "lineBegin":
      return at === 0 || points[at - 1] === NEWLINE;
    case "lineEnd":
      return at === points.length || points[at] === NEWLINE;
    case "boundary":
      return isWord(points[at - 1]) !== isWord(points[at]);
    case "notBoundary":
      return isWord(points[at - 1]) === isWord(points[at]);
  }
}

function isWord(point: number | undefined): boolean {
  return point !== undefined && /^\w$/.test(String.fromCodePoint(point));
}
