// H19. Nobody is refused for a crowd; those over the limit wait, without a write on the object.
import { notYet, pass, type Rule } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts, LimitFacts } from "../facts.ts";

/** Of one requester with one endorsement key: one that crashed, one that goes on, and two for a race. */
const OPEN_OF_REQUESTER_AND_KEY = 4;
const OPEN_IN_CLUSTER = 2_000;
const RETRY_MS = 15_000;

export const limitsAreKept: Rule<EvidenceFacts> = {
  id: "limits-are-kept",
  sentence: "open requests and new identities stay within their limits",
  judge: ({ limits }) => {
    if (limits.newIdentitiesInHour >= limits.newIdentitiesPerHour)
      return notYet("JoinRateExceeded", describeRate(limits), RETRY_MS);
    const isCrowded =
      limits.openOfRequester >= limits.openOfRequesterLimit ||
      limits.openOfRequesterAndKey >= OPEN_OF_REQUESTER_AND_KEY ||
      limits.openInCluster >= OPEN_IN_CLUSTER;
    return isCrowded ? notYet("Throttled", "too many requests are open; this one waits its turn", RETRY_MS) : pass();
  },
};

function describeRate({ newIdentitiesInHour, newIdentitiesPerHour, newIdentitiesPerHourBy }: LimitFacts): string {
  return (
    `${newIdentitiesInHour} nodes joined for the first time within the last hour, and ${newIdentitiesPerHour} may, by ` +
    `${newIdentitiesPerHourBy}; the others wait until the hour is over. If they are expected, raise ` +
    "spec.limits.newIdentitiesPerHour of the JoinPolicy for their names; if not, a bootstrap token leaked"
  );
}
