export { INSECURE_RULES, judgeInsecure } from "./judge.ts";
