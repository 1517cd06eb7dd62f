export { createAuthorizerChain, privilegedAuthorizer } from "./chain.ts";
export { createNodeScan } from "./node-scan.ts";
export { createRbacAuthorizer, type RbacObjects } from "./rbac.ts";
export { createRbacIndex, type RbacIndex } from "./rbac-index.ts";
export { reconcileBootstrapPolicy } from "./reconcile.ts";
