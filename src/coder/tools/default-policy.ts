/**
 * What commands may run, by their first words: `npm run` also covers `npm run build`. The longest match wins; of two that
 * are as long, deny before ask before allow. What no entry covers is asked, which means denied while nobody is there.
 * An entry that is the whole command line covers that line alone.
 */
export interface CommandPolicy {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** Reading, building and testing. Whoever may run the project's tests can run any code, so this is no sandbox. */
export const defaultPolicy: CommandPolicy = {
  allow: [
    ...["cat", "cut", "basename", "dirname", "diff", "du", "echo", "false", "file", "find", "grep", "head", "ls"],
    ...["mkdir", "printf", "pwd", "rg", "sleep", "sort", "stat", "tail", "test", "[", "touch", "tr", "true", "uniq"],
    ...["wc", "which", "sed -n", "git add", "git blame", "git branch", "git commit", "git diff", "git log"],
    ...["git ls-files", "git mv", "git rev-parse", "git rm", "git show", "git stash list", "git stash show"],
    ...["git status", "git switch"],
    ...["node", "npm ci", "npm ls", "npm run", "npm test", "npx tsc", "npx tsx", "npx vitest", "npx jest", "npx mocha"],
    ...["npx eslint", "npx prettier", "npx biome", "tsc", "pnpm run", "pnpm test", "yarn run", "yarn test", "bun test"],
    ...["pytest", "python -m pytest", "python3 -m pytest", "cargo build", "cargo check", "cargo clippy", "cargo test"],
    ...["go build", "go test", "go vet", "gofmt", "make", "mvn test", "gradle test", "./gradlew test", "dotnet test"],
  ],
  // Work that is not committed can get lost.
  ask: ["git restore", "git stash"],
  deny: [
    ...["sudo", "doas", "su", "git push", "npm publish", "pnpm publish", "yarn publish", "cargo publish", "twine"],
    ...["shutdown", "reboot", "halt", "poweroff", "mkfs", "dd", "mount", "umount", "chroot", "crontab", "systemctl"],
    ...["holdfast", "npx holdfast"],
  ],
};
