import { expect, it } from "vitest";
import { call, createScene } from "./scene.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

it("shows a small file whole, with the number of every line", async () => {
  const scene = createScene({ "src/a.ts": "one\n\nthree\n" });
  expect(await call(scene, "read", { path: "src/a.ts" })).toEqual({ text: "1\tone\n2\t\n3\tthree" });
  expect(await call(scene, "read", { path: `${scene.root}/src/a.ts` })).toEqual({ text: "1\tone\n2\t\n3\tthree" });
});

it("shows a part of a long file and says how to go on", async () => {
  const scene = createScene({ "a.txt": numbers(1_500) });
  expect((await call(scene, "read", { path: "a.txt" })).text).toMatch(
    /\n1000\tline 1000\n\[lines 1 to 1000 of 1500; go on with from: 1001\]$/,
  );
  expect(await call(scene, "read", { path: "a.txt", from: 1_499 })).toEqual({
    text: "1499\tline 1499\n1500\tline 1500\n[lines 1499 to 1500 of 1500]",
  });
  expect(await call(scene, "read", { path: "a.txt", from: 2_000 })).toEqual({
    text: "a.txt has only 1500 lines",
    isError: true,
  });
});

it("bounds what a reply costs, whatever the lines are like", async () => {
  const wide = createScene({ "a.txt": `${"x".repeat(1_900)}\n`.repeat(500), "b.min.js": "y".repeat(5_000_000) });
  const { text } = await call(wide, "read", { path: "a.txt" });
  expect(text.length).toBeLessThan(61_000);
  expect(text).toMatch(/\[lines 1 to 31 of 500; go on with from: 32\]$/);
  expect((await call(wide, "read", { path: "b.min.js" })).text).toMatch(
    /^1\ty+… \[49980\d\d more characters were cut\]$/,
  );
});

it("answers clearly for what is no text", async () => {
  const scene = createScene({ "a.bin": "a\0b", empty: "", "folder/x": "" });
  expect(await call(scene, "read", { path: "a.bin" })).toEqual({
    text: "a.bin is a binary file of 3 bytes",
    isError: true,
  });
  expect(await call(scene, "read", { path: "empty" })).toEqual({ text: "[empty is empty]" });
  expect(await call(scene, "read", { path: "folder" })).toEqual({
    text: "folder is a folder; use list",
    isError: true,
  });
  expect(await call(scene, "read", { path: "nowhere" })).toEqual({ text: "there is no file nowhere", isError: true });
});

it("tells in one sentence what is wrong with its input", async () => {
  const scene = createScene({ a: "a" });
  expect(await call(scene, "read", { path: "a", from: 0 })).toEqual({
    text: "wrong input for read: from: Too small: expected number to be >=1",
    isError: true,
  });
  for (const input of [null, "a", {}, { path: 3 }, { path: "a", line: 3 }]) {
    const reply = await call(scene, "read", input);
    expect(reply).toMatchObject({ isError: true, text: expect.stringMatching(/^wrong input for read: [^\n]+$/) });
  }
});
