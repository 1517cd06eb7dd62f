export { ADVICE, type Advice } from "./advice.ts";
export { createTerminal, printFailure, type Terminal, type Tone } from "./terminal.ts";
