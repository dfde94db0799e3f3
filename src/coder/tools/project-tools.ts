import { editTool } from "./edit-tool.ts";
import { listTool } from "./list-tool.ts";
import { readTool } from "./read-tool.ts";
import { searchTool } from "./search-tool.ts";
import { shellTool } from "./shell-tool.ts";
import type { Tool } from "./tool.ts";
import { writeTool } from "./write-tool.ts";

/** The tools that work on the project. Those that work on the run (plan, todo list, question) belong to the coder itself. */
export const projectTools: readonly Tool[] = [readTool, listTool, searchTool, writeTool, editTool, shellTool];
