// A bug is an assertion: it ends the process with a stack, because going on would act on a state nobody thought of.

export class Bug extends Error {
  override readonly name = "Bug";
}

export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Bug(what);
}
