import type { LocalCommand } from "../command/command.ts";

export const serve: LocalCommand = {
  name: "serve",
  area: "Inspect runs",
  positionals: [],
  options: {
    port: { type: "string", value: "N", about: "the port (default: 4187)" },
    open: { type: "boolean", about: "open the dashboard in your browser" },
    host: { type: "string", value: "ADDRESS", about: "another address than 127.0.0.1; needs --behind-proxy" },
    "behind-proxy": {
      type: "string",
      value: "ORIGIN",
      about: "the https address of a proxy in front, such as https://holdfast.example.org",
    },
  },
  about:
    "Serve the dashboard and the API for all of your projects on this machine, until you press Ctrl-C. " +
    "Only a server that a person starts at a terminal lets its page approve, answer and decide.",
  examples: ["holdfast serve", "holdfast serve --open", "holdfast serve --port 5000"],
  async act(parsed, io, paint) {
    const { runServe } = await import("../serve/run-serve.ts");
    return runServe(parsed, io, paint);
  },
};
