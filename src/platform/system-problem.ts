/** What an error of the system says about a file, in words; null for any other error. */
export function systemProblem(error: unknown): string | null {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return null;
  const code = String(error.code);
  return words[code] ?? code;
}

const words: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is a file, not a folder",
  EACCES: "access is denied",
  EPERM: "access is denied",
  EROFS: "the disk is read-only",
  EINTR: "reading it was interrupted",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "it would become too large",
  E2BIG: "it is too large",
  EIO: "the disk reports an error",
  ELOOP: "it is, or is behind, a symbolic link that is not followed",
  EOUTSIDE: "it leads out of the project",
  ENAMETOOLONG: "its name is too long",
  ENOPATH: "it names no path",
  ENXIO: "it is a pipe or a device",
};
