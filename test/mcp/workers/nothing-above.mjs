// Tests may run below a real agent. A server that loads this sees nothing above the program that has started it.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const read = fs.readFileSync;
fs.readFileSync = (file, ...rest) => (file === `/proc/${process.ppid}/stat` ? "1 (host) S 0" : read(file, ...rest));
syncBuiltinESMExports();
