import { describeCrashes } from "../journeys/crash.ts";

describeCrashes(50);
