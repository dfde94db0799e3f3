import { anthropicProblems } from "../../../context/adapters/anthropic-rules.ts";
import { type Fields, fields, found, list, string } from "../json.ts";
import { blocksOf } from "./read.ts";
import { signatureOf, thoughtOf } from "./reply.ts";

/** What the Messages API refuses, the conversation apart from the rest of the request. */
export function anthropicRequestProblems(body: Fields, headers: Fields): string[] {
  const { system, messages, tools, thinking, max_tokens: most } = body;
  const turns = list(messages).map(fields);
  const blocks = turns.flatMap(({ content }) => blocksOf(content));
  const marks = [...list(tools).map(fields), ...blocksOf(system ?? []), ...blocks].filter(
    (block) => block.cache_control !== undefined,
  );
  const budget = fields(thinking).budget_tokens;
  return [
    ...found([
      [string(headers["anthropic-version"]) === "", "anthropic-version: header is required"],
      [string(headers["x-api-key"] ?? headers.authorization) === "", "x-api-key: header is required"],
      [typeof most !== "number" || most < 1, "max_tokens: field required"],
      [typeof budget === "number" && budget < 1024, "thinking.budget_tokens: less than 1024"],
      [typeof budget === "number" && budget >= Number(most), "max_tokens is not above thinking.budget_tokens"],
      [marks.length > 4, `${marks.length} blocks with cache_control, at most 4`],
      [list(tools).length === 0 && blocks.some(isOfTool), "calls or results in a request without tools"],
    ]),
    ...anthropicProblems({ ...(system === undefined ? {} : { system }), messages }),
    ...toolProblems(list(tools).map(fields)),
    ...blocks.flatMap(signatureProblems),
    ...(["enabled", "adaptive"].includes(string(fields(thinking).type)) ? lostThoughts(turns) : []),
  ];
}

function isOfTool({ type }: Fields): boolean {
  return type === "tool_use" || type === "tool_result";
}

function toolProblems(tools: readonly Fields[]): string[] {
  const names = tools.map(({ name }) => string(name));
  return tools.flatMap(({ name, input_schema: schema }, index) =>
    found([
      [!/^[a-zA-Z0-9_-]{1,128}$/.test(string(name)), `tools.${index}: name ${name}`],
      [names.indexOf(string(name)) !== index, `tools.${index}: name ${name} twice`],
      [fields(schema).type !== "object", `tools.${index}: input_schema is no object`],
    ]),
  );
}

function signatureProblems({ type, thinking, signature }: Fields): string[] {
  const isForged = type === "thinking" && signature !== signatureOf(string(thinking));
  return isForged ? ["Invalid `signature` in `thinking` block"] : [];
}

/** Since the user last spoke, a call must come back with the thought before it; older thoughts may be dropped. */
function lostThoughts(turns: readonly Fields[]): string[] {
  const start = turns.findLastIndex(
    ({ role, content }) => role === "user" && !blocksOf(content).some(({ type }) => type === "tool_result"),
  );
  return turns.slice(start + 1).flatMap(({ content }, index) => {
    const blocks = blocksOf(content);
    return blocks.flatMap(({ type, id }, at) => {
      const thought = type === "tool_use" ? thoughtOf(string(id)) : undefined;
      const before = blocks.slice(0, at).map(({ signature }) => string(signature).slice(0, 12));
      const isLost = thought !== undefined && !before.includes(thought);
      return isLost ? [`message ${start + 1 + index}: call ${id} without the thinking block before it`] : [];
    });
  });
}
