// A test whose real part is missing is left out, and says so: `describe.skipIf(notRun("…", missing))`. Which may be
// left out in a run that counts is written in tools/count-tests.mjs.

/** True, after a loud word, where there is a reason. */
export function notRun(what: string, why: string | undefined): boolean {
  if (why === undefined) return false;
  console.warn(`NOT RUN: ${what}: ${why}`);
  return true;
}
