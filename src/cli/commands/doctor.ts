import type { LocalCommand } from "../command/command.ts";

export const doctor: LocalCommand = {
  name: "doctor",
  area: "upkeep",
  positionals: [],
  options: {},
  about:
    "Check how your agent is set up here, and say how to mend what is wrong. " +
    "The installed hooks are tried on a sample of their own; your runs are left alone.",
  examples: ["holdfast doctor", "holdfast doctor --json"],
  async act(parsed, io, paint) {
    const { runDoctor } = await import("../doctor/run-doctor.ts");
    return runDoctor(parsed, io, paint);
  },
};
