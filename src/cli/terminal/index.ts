export { ADVICE, type Advice } from "./advice.ts";
export { plainText } from "./plain-text.ts";
export { table } from "./table.ts";
export { createTerminal, printFailure, type Terminal, type Tone } from "./terminal.ts";
