import { readdirSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { hasCode, readRegularFile, sha256Hex } from "../../platform/files.ts";

/** The files of the page, as they were built: each one compressed. */
export interface Page {
  /** The answer for a file of the page; null if there is none of that name. */
  file(request: Request, path: string): Promise<Response | null>;
  /** The page itself, which finds out from the address what to show; null if it was not built. */
  document(request: Request): Promise<Response | null>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
};

const mostBytes = 16 * 1024 * 1024;

/** A file is found by its name among those that were there at the start, so no path leads anywhere else. */
export function createPage(folder: string): Page {
  const files = new Map(namesIn(folder).map((name) => [`/${name.slice(0, -".gz".length)}`, join(folder, name)]));
  const file = async (request: Request, path: string) => {
    const found = files.get(path);
    return found === undefined || path === "/index.html" ? null : answerWith(request, path, found);
  };
  const document = async (request: Request) => {
    const index = files.get("/index.html");
    return index === undefined ? null : answerWith(request, "/index.html", index);
  };
  return { file, document };
}

function namesIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(".gz"))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

async function answerWith(request: Request, path: string, file: string): Promise<Response> {
  const packed = readRegularFile(file, mostBytes);
  const etag = `"${sha256Hex(packed).slice(0, 32)}"`;
  const headers = {
    "content-type": types[extname(path)] ?? "application/octet-stream",
    // The name of an asset has a hash of its content in it.
    "cache-control": path.startsWith("/assets/") ? "private, max-age=31536000, immutable" : "no-cache",
    vary: "accept-encoding",
    etag,
  };
  const known =
    request.headers
      .get("if-none-match")
      ?.split(",")
      .map((each) => each.trim()) ?? [];
  if (known.includes(etag)) return new Response(null, { status: 304, headers });
  if (acceptsGzip(request)) return new Response(packed, { headers: { ...headers, "content-encoding": "gzip" } });
  return new Response(await promisify(gunzip)(packed, { maxOutputLength: mostBytes }), { headers });
}

function acceptsGzip(request: Request): boolean {
  return /(?:^|[\s,])(?:gzip|\*)\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:,|$)))/i.test(
    request.headers.get("accept-encoding") ?? "",
  );
}
