// Writes what is derived from the code: schema/*.json and docs/errors.md. Tests fail when they differ.
import { writeFile } from "node:fs/promises";
import { jsonSchema, schemaNames } from "../src/model/schemas.ts";
import { errorReference } from "./error-reference.ts";

for (const name of schemaNames) {
  await writeFile(`schema/${name}.json`, `${JSON.stringify(jsonSchema(name), null, 2)}\n`);
}
await writeFile("docs/errors.md", errorReference());
