const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/**
 * The largest file of each kind that is read, in bytes: far above real ones, so that a file which is not what it should
 * be cannot fill the memory. Some rooms have limits of their own for what they parse.
 */
export const sizeLimits = {
  /** A workflow or one that it extends. From 256 KiB on it is refused as a workflow. */
  workflow: 16 * mebibyte,
  /** `config.yaml` of a project or a user, and a .gitignore of ours. */
  settings: 64 * kibibyte,
  /** What is rebuilt when it is missing, such as `.holdfast/cache/config.json`. */
  cache: 4 * mebibyte,
  /** A snapshot or a frozen template beside a journal. */
  runFile: 64 * mebibyte,
  /** Settings of an agent program, and what `init` keeps of them. Claude Code's own have its history in them. */
  hostFile: 64 * mebibyte,
  /** The same in a project. Editing JSON takes a hundred times its size in memory. */
  projectHostFile: 4 * mebibyte,
  /** The user's list of what they trust. */
  trust: 64 * mebibyte,
  /** A file with one name or key in it. */
  name: 64 * kibibyte,
  /** What a person hands in with `--file`. */
  input: 100 * 1000 * 1000,
  /** The file that `.git` can be, HEAD, one branch. */
  gitName: 64 * kibibyte,
  /** git's configuration and its packed branches. */
  gitList: 64 * mebibyte,
} as const;
