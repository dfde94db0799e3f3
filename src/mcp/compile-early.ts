import { setFlagsFromString } from "node:v8";

/**
 * A server is called now and then, for hours. Left alone, V8 compiles code well only after thousands of calls; with
 * this it takes dozens. The number is how much code a function may run before V8 looks at it, in bytes. See decision
 * 0016.
 */
export function compileEarly(): void {
  setFlagsFromString("--interrupt-budget=3000");
}
