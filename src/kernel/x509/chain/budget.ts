// What one validation may cost. A few kilobytes of crafted certificates can describe more paths and more name comparisons
// than there are seconds; each validation therefore starts with a purse and is refused when it is empty.

export interface Budget {
  signatureChecks: number;
  nameComparisons: number;
}

/** Go's limit; honest bundles need fewer than ten. */
const SIGNATURE_CHECKS = 100;
/** Go's limit: some milliseconds. */
const NAME_COMPARISONS = 250_000;

export function createBudget(): Budget {
  return { signatureChecks: SIGNATURE_CHECKS, nameComparisons: NAME_COMPARISONS };
}

/** False where the purse does not hold that much. */
export function spend(budget: Budget, kind: keyof Budget, amount: number): boolean {
  if (amount > budget[kind]) {
    budget[kind] = 0;
    return false;
  }
  budget[kind] -= amount;
  return true;
}
