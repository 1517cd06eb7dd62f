export type { Plugin, Questions } from "./plugin.ts";
export { PLUGINS, runAdmission } from "./stage.ts";
