export { createAuthorizerChain, privilegedAuthorizer } from "./chain.ts";
export { createNodeScan } from "./node-scan.ts";
export { bootstrapPolicy } from "./policy/index.ts";
export { createRbacAuthorizer, type RbacObjects, rulesForUser } from "./rbac.ts";
export { createRbacIndex, type RbacIndex } from "./rbac-index.ts";
export { reconcileBootstrapPolicy } from "./reconcile.ts";
export { attributesOf, refusalOf, runAuthorization } from "./stage.ts";
