import { readFileSync } from "node:fs";

/** What package.json says; a release changes it and no test. */
export const packageVersion: string = JSON.parse(readFileSync("package.json", "utf8")).version;
