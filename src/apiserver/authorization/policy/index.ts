export { AUTOUPDATE, type BootstrapPolicy, bootstrapPolicy, clusterRoleRules } from "./objects.ts";
