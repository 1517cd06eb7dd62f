export { ADVICE, type Advice } from "./advice.ts";
export { plainText } from "./plain-text.ts";
export { createTerminal, printFailure, type Terminal, type Tone } from "./terminal.ts";
