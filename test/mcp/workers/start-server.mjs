// Starts the server as a host does: as its own child, with its own streams.
import { spawn } from "node:child_process";

const [, , node, program] = process.argv;
spawn(node, [program, "mcp"], { stdio: "inherit" }).on("exit", (code) => process.exit(code ?? 1));
