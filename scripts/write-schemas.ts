// Writes schema/*.json from the model. A test fails when they differ.
import { writeFile } from "node:fs/promises";
import { jsonSchema, schemaNames } from "../src/model/schemas.ts";

for (const name of schemaNames) {
  await writeFile(`schema/${name}.json`, `${JSON.stringify(jsonSchema(name), null, 2)}\n`);
}
