import type { LocalCommand } from "../command/command.ts";

export const completion: LocalCommand = {
  name: "completion",
  area: "Set up and maintain",
  positionals: ["<bash|zsh|fish>"],
  options: {},
  about:
    "Print a completion script for your shell. It completes commands, options, workflow names and run ids. " +
    "Write it where your shell looks for completions, then open a new shell. " +
    "For zsh, that folder must be in fpath before compinit runs.",
  examples: [
    "holdfast completion bash > ~/.local/share/bash-completion/completions/holdfast",
    "holdfast completion zsh > ~/.zfunc/_holdfast",
    "holdfast completion fish > ~/.config/fish/completions/holdfast.fish",
  ],
  async act(parsed, io, _paint, _errPaint, commands) {
    const { runCompletion } = await import("../completion/run-completion.ts");
    return runCompletion(parsed, io, commands);
  },
};
