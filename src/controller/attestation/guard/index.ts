export { createGuard, GUARD_BINDINGS, GUARD_POLICIES, type Guard, readKeyHash } from "./guard.ts";
export { GUARD_BINDING_SPEC, GUARD_NAME, GUARD_POLICY_SPEC } from "./policy.ts";
