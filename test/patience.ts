// How long tests wait. Each wait is as long as an idle machine of two cores needs and then some; a machine that is busy
// or slow sets COUNTERSIGN_TEST_PATIENCE=3 and every limit of every suite is three times as long. No test asserts that
// something is quick.

const SETTING = "COUNTERSIGN_TEST_PATIENCE";
/** A typing error must not make a hanging test hang for days. */
const MOST = 20;

export const PATIENCE = readPatience(process.env[SETTING]);

/** A limit for waiting, in milliseconds. */
export function patient(limitMs: number): number {
  return Math.round(limitMs * PATIENCE);
}

function readPatience(text: string | undefined): number {
  if (text === undefined || text === "") return 1;
  const factor = Number(text);
  if (!(factor >= 1 && factor <= MOST)) {
    throw new Error(`${SETTING} is ${JSON.stringify(text)}, expected a number from 1 to ${MOST}`);
  }
  return factor;
}
