export { bindingSubresource } from "./posted.ts";
export { podStrategy } from "./strategy.ts";
