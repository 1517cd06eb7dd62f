export { createProviderIdWatch, PROVIDER_ID_MISMATCH, type ProviderIdWatch } from "./provider-ids.ts";
export { createUpkeep, UPKEEP_KEY, type UpkeepOptions } from "./upkeep.ts";
