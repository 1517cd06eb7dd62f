export { createInsecureProvider } from "./insecure.ts";
