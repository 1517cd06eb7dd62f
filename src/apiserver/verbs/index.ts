export { runResources, runStorage, runWatching } from "./stages.ts";
