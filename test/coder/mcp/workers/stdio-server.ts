import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createNamedServer, createToolsServer } from "../tools-server.ts";

const [kind = "tools", ...words] = process.argv.slice(2);
if (kind === "names") serveStdio(() => createNamedServer(words));
else if (kind === "many")
  serveStdio(() => createNamedServer(Array.from({ length: 1_000 }, (_, index) => `tool${index}`)));
else if (kind === "odd") serveStdio(() => createNamedServer(["find"], "$filter"));
else serveStdio(createToolsServer, { legacy: kind === "modern" ? "reject" : "serve" });
