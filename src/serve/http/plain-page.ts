import type { HttpProblem } from "./problem.ts";

/** A page of a few lines, for a browser that cannot be shown the dashboard. It has no script and no style. */
function plainPage(title: string, lines: readonly string[], status: number, head = ""): Response {
  const text = [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="color-scheme" content="light dark">${head}<title>${escaped(title)}</title></head>`,
    `<body><main><h1>${escaped(title)}</h1>${lines.map((line) => `<p>${escaped(line)}</p>`).join("")}</main></body></html>`,
    "",
  ].join("\n");
  return new Response(text, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

export function problemPage({ status, message, next }: HttpProblem): Response {
  return plainPage(sentence(message), [sentence(next)], status);
}

/**
 * Brings a browser to the dashboard from a page of ours: it sends the new cookies only if one of ours asks. The key is in
 * the page and not in an address, because addresses are kept in histories.
 */
export function enterPage(key: string): Response {
  const head = `<meta name="holdfast-key" content="${escaped(key)}"><script src="${enterScriptPath}" defer></script>`;
  return plainPage("Opening the dashboard", ["This needs JavaScript."], 200, head);
}

export const enterScriptPath = "/open/enter.js";

/** Without the folder of the built page, so that a link works in every installation. */
export function enterScript(): Response {
  const text = `"use strict";
try {
  localStorage.setItem("holdfast-key", document.querySelector("meta[name=holdfast-key]").content);
  location.replace("/");
} catch {
  document.querySelector("h1").textContent = "The dashboard cannot store its key.";
  document.querySelector("p").textContent = "Let this browser store data for this address, and open a new link.";
}
`;
  return new Response(text, { headers: { "content-type": "text/javascript; charset=utf-8" } });
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

const signs: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => signs[sign] ?? sign);
}
