/**
 * Scripts for `node -e` that find a shim from any folder of the project and run it: hosts start hooks and servers in the
 * folder they were started in. One more argument must follow, in place of a script name.
 */

/** Runs the nearest shim. For Codex, which looks for settings in the current repository alone. */
export function runNearest(shim: "hook" | "mcp"): string {
  const search = `while(!fs.existsSync(f=d+'/.holdfast/${shim}.mjs')&&d!=(d=path.dirname(d)));`;
  return `let d=process.cwd(),f;${search}import(url.pathToFileURL(f)).catch(()=>0)`;
}

/** Names the file to run instead of looking for one: set by the plugin and by the settings of the user. */
export const shimVariable = "HOLDFAST_MCP";

/**
 * Runs the shim beside the `.mcp.json` that this script is in. Claude Code takes the nearest valid entry, also from above
 * the current repository, and asks once for it. So a shim that merely lies nearer, in another repository, must not run.
 * Claude Code starts only one of several servers with the same command and arguments, and skips those that the person
 * declined. So the project, the user and the plugin all use this script, and the model gets one set of tools.
 */
export const runOwn = [
  `let d=process.cwd(),f=process.env.${shimVariable};`,
  // A pipe or a device would never end, and reading it would hold up the host.
  "const own=()=>{try{const p=d+'/.mcp.json',s=fs.statSync(p);if(!s.isFile()||s.size>1e7)return;",
  "const{command:c,args:a,type:t='stdio',env:e={},timeout:m=1,...x}=",
  "JSON.parse(fs.readFileSync(p)).mcpServers.holdfast,j=JSON.stringify;",
  // An entry that Claude Code would reject does not count: it takes the next one above.
  "return j([c,a,t,x])==j(['node',['-e',process.execArgv[1],'mcp'],'stdio',{}])",
  "&&j(e)[0]=='{'&&Object.values(e).every(v=>v===v+'')&&m>0&&m===+m",
  "}catch{}};",
  "while(!f&&!(own()&&(f=d+'/.holdfast/mcp.mjs'))&&d!=(d=path.dirname(d)));",
  "f&&import(url.pathToFileURL(f)).catch(()=>0)",
].join("");
