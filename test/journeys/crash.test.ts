import { describeCrashes } from "./crash.ts";

// test/long does this fifty times.
describeCrashes(5);
