import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** No setting of whoever runs the tests has a say in them. */
export default function setup(): void {
  process.env.HOME = mkdtempSync(join(tmpdir(), "holdfast-home-"));
}
