// What an attack is here: words for what is tried, the token it ends with, and the trying. The token is the reason on
// the request, or the API server's word where the request never comes to the controller.

import type { AttestationStage } from "../attestation-stage.ts";

/** Tries, and answers how it ended. */
export type Attempt = (on: AttestationStage) => Promise<string | undefined>;

/** By what is tried. */
export type Attempts = Readonly<Record<string, readonly [token: string, attempt: Attempt]>>;

/** By a number and the attack's words. */
export type Attacks = Readonly<Record<string, Attempts>>;
