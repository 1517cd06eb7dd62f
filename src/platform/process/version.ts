// The version that the programs print; a test holds it to package.json. A constant, because a program that is one file has
// no package.json beside it.
export const VERSION = "0.1.0";
