export { type ListedHolders, listHolders, type Pinned, pin } from "./pin.ts";
