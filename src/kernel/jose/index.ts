export { type DetachedHs256, signDetachedHs256, verifyDetachedHs256 } from "./detached-hs256.ts";
