/** Whether a path, as it is written, stays inside the project. Whether a link leads out of it is for whoever opens it. */
export function isRelativePath(path: string): boolean {
  if (path === "" || path.length > longest) return false;
  if (/^([/\\~]|[A-Za-z]:)/.test(path) || /\p{Cc}/u.test(path)) return false;
  return !path.split(/[/\\]/).includes("..");
}

const longest = 1_000;
