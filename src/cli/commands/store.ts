import { defineCommand, flagOption, textOption } from "../command/command.ts";
import { printConfirmedProject, printInitializedStore, printMigrated, printStoreStatus } from "../print/print-store.ts";

export const storeInit = defineCommand({
  name: "store init",
  area: "Set up and maintain",
  operation: "store-init",
  positionals: [],
  options: {},
  about: "Create the tables of Holdfast in your PostgreSQL database, or migrate them. Agents cannot do this.",
  examples: ["holdfast store init"],
  input: async () => ({}),
  print: printInitializedStore,
});

export const storeConfirm = defineCommand({
  name: "store confirm",
  area: "Set up and maintain",
  operation: "store-confirm",
  positionals: [],
  options: { yes: { type: "boolean", about: "do not ask for confirmation" } },
  about: "Confirm that the runs of this clone belong to the shared project that it names. Agents cannot do this.",
  examples: ["holdfast store confirm"],
  input: async (parsed) => ({ yes: flagOption(parsed, "yes") }),
  print: printConfirmedProject,
  texts: "revealed",
});

export const storeStatus = defineCommand({
  name: "store status",
  area: "Set up and maintain",
  operation: "store-status",
  positionals: [],
  options: {},
  about: "Show where the runs of this project are, and whether the database answers. No password is shown.",
  examples: ["holdfast store status", "holdfast store status --json | jq .copies"],
  input: async () => ({}),
  print: printStoreStatus,
  failed: ({ problem }) => problem !== null,
});

export const storeMigrate = defineCommand({
  name: "store migrate",
  area: "Set up and maintain",
  operation: "store-migrate",
  positionals: [],
  options: {
    to: { type: "string", value: "STORE", values: ["postgres", "files"], about: "postgres or files (required)" },
    remove: { type: "boolean", about: "with --to files: remove the runs from the database" },
    yes: { type: "boolean", about: "do not ask for confirmation" },
  },
  about: "Move all runs between files and the database, line by line. Interrupt and repeat it as you like.",
  examples: ["holdfast store migrate --to postgres", "holdfast store migrate --to files"],
  input: async (parsed) => ({
    to: textOption(parsed, "to"),
    remove: flagOption(parsed, "remove"),
    yes: flagOption(parsed, "yes"),
  }),
  print: printMigrated,
  failed: ({ runs, left }) => left > 0 || runs.some(({ result }) => result === "refused"),
});
