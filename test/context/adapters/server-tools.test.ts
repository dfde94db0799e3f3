import type Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import {
  fromAnthropic,
  toAiSdk,
  toAnthropic,
  toOpenAi,
  toOpenAiResponses,
} from "../../../src/context/adapters/index.ts";
import { createContext, restoreContext } from "../../../src/context/index.ts";
import { options } from "../coder.ts";
import { anthropicProblems } from "./anthropic-rules.ts";
import { openAiProblems } from "./openai-rules.ts";
import { responsesProblems } from "./responses-rules.ts";

const caller = { type: "direct" } as const;
const found = { type: "web_search_result", url: "https://example.com", title: "é", page_age: null } as const;

/** A reply in which Anthropic has searched the web. */
function searched(id: string, size = 10): Anthropic.ContentBlock[] {
  return [
    { type: "thinking", thinking: "hm", signature: "s=" },
    { type: "server_tool_use", id, name: "web_search", input: { query: "passkeys" }, caller },
    {
      type: "web_search_tool_result",
      tool_use_id: id,
      content: [{ ...found, encrypted_content: "x".repeat(size) }],
      caller,
    },
    {
      type: "text",
      text: "Found it.",
      citations: [
        {
          type: "web_search_result_location",
          cited_text: "p",
          encrypted_index: "e",
          title: null,
          url: "https://example.com",
        },
      ],
    },
  ];
}

function start() {
  const context = createContext(options);
  context.resetSystemPrompt("You are a coder.");
  context.append("user", "Search.");
  return context;
}

test("what Anthropic's own tools did comes back byte for byte, also after a restart", () => {
  const context = start();
  const blocks = searched("srvtoolu_1");
  context.append("assistant", fromAnthropic(blocks));
  expect(context.outstanding()).toEqual([]);
  context.append("user", "Go on.");
  const { messages } = toAnthropic(restoreContext(context.save(), options).messages());
  expect(JSON.stringify(messages[1]?.content[1])).toBe(JSON.stringify(blocks[1]));
  expect(JSON.stringify(messages[1]?.content[2])).toBe(JSON.stringify(blocks[2]));
  expect(messages[1]?.content).toEqual(blocks);
  expect(anthropicProblems(toAnthropic(context.messages()))).toEqual([]);
});

test("a turn that Anthropic has paused is continued where it stands", () => {
  const context = start();
  const [thought, call, result, text] = searched("srvtoolu_1");
  if (!thought || !call || !result || !text) throw new Error("a block is missing");
  context.append("assistant", fromAnthropic([thought, call]));
  const paused = toAnthropic(context.messages());
  expect(paused.messages.at(-1)).toEqual({ role: "assistant", content: [thought, call] });
  context.append("assistant", fromAnthropic([result, text]));
  context.append("user", "Go on.");
  const body = toAnthropic(context.messages());
  expect(body.messages[1]?.content).toEqual([thought, call, result, text]);
  expect(anthropicProblems(body)).toEqual([]);
});

test("a reply that was cut off keeps what is whole and leaves out a search without its result", () => {
  const context = start();
  const next = { type: "server_tool_use", id: "srvtoolu_2", name: "web_search", input: {}, caller } as const;
  context.append("assistant", fromAnthropic([...searched("srvtoolu_1"), next]), { truncated: true });
  context.append("user", "Go on.");
  expect(toAnthropic(context.messages()).messages[1]?.content).toEqual(searched("srvtoolu_1"));
});

test("compaction keeps a search and its result together and never shortens them", async () => {
  const context = start();
  for (let n = 0; n < 12; n++) {
    context.append("assistant", fromAnthropic(searched(`srvtoolu_${n}`, 900)));
    context.append("user", `Go on. ${"word ".repeat(100)}`);
    for (const target of [2_500, 1_200]) {
      if (context.tokens() > target) await context.compact(target);
      const body = toAnthropic(context.messages());
      expect(anthropicProblems(body)).toEqual([]);
      const last = body.messages.findLast(({ role }) => role === "assistant");
      expect(last?.content).toEqual(searched(`srvtoolu_${n}`, 900));
    }
  }
  expect(JSON.stringify(context.messages())).not.toContain("srvtoolu_0");
});

test("a conversation with Anthropic's tools can go on with another provider, which gets the words", () => {
  const context = start();
  context.append("assistant", fromAnthropic(searched("srvtoolu_1")));
  context.append("assistant", fromAnthropic(searched("srvtoolu_2").slice(0, 3)));
  context.append("user", "Go on.");
  expect(openAiProblems(toOpenAi(context.messages()))).toEqual([]);
  expect(responsesProblems(toOpenAiResponses(context.messages()))).toEqual([]);
  const { messages } = toAiSdk(context.messages());
  expect(JSON.stringify(messages)).not.toContain("srvtoolu");
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});
