import type { LocalCommand } from "../command/command.ts";

export const doctor: LocalCommand = {
  name: "doctor",
  area: "Set up and maintain",
  positionals: [],
  options: {},
  about:
    "Check how your agent is set up in this project, and say how to fix problems. " +
    "The installed hooks are run in a sample project; your runs are not touched.",
  examples: ["holdfast doctor", "holdfast doctor --json"],
  async act(parsed, io, paint) {
    const { runDoctor } = await import("../doctor/run-doctor.ts");
    return runDoctor(parsed, io, paint);
  },
};
