export { ADVICE } from "./advice.ts";
export { createTerminal, plainText, printFailure, type Terminal, type Tone, table } from "./terminal.ts";
