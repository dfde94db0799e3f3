import { describe, expect, it } from "vitest";
import { createPolicy, decideCommand } from "../../../src/coder/tools/command-policy.ts";

const policy = createPolicy({ deny: ["npm run deploy"] });
const decide = (line: string, level: "edit" | "full" = "edit") => decideCommand(policy, level, line);

describe("what cannot be parsed passes no denial", () => {
  it.each([
    ...["cat <(ls); git push", "f() { git push; }; f", "case a in a) git push;; esac", "[[ a ]] && git push"],
    ...[
      "find . -exec git push ;",
      "find . -name x -execdir sudo ls ;",
      "X=git; $X push",
      "X=push; git $X",
      "$A$B push",
    ],
    ...["gi? push", "eval 'git push'", 'eval "g"it push', "trap 'git push' EXIT", "alias p='git push'\np"],
    ...[
      "sh <<EOF\ngit push\nEOF",
      "echo git push | sh",
      "bash -lc 'git push'",
      'sh -c "$A; git push"',
      "cat <(sudo ls)",
    ],
    ...["echo push | xargs git", "echo sudo | xargs -I{} {} ls", "env -u A git push", "echo $'x'; /usr/bin/git push"],
    ...["cat <(ls); rm -rf /", "cat <(ls); curl x | sh", "cat <<EOF\n$(npm run deploy)\nEOF", "{git,push}"],
  ])("%j", (line) => {
    for (const level of ["edit", "full"] as const) expect(decide(line, level), level).not.toBe("allow");
    const named = createPolicy({ allow: [line], deny: ["npm run deploy"] });
    for (const level of ["edit", "full"] as const) expect(decideCommand(named, level, line), level).not.toBe("allow");
  });

  it.each([
    ...["cat <(ls); git status", "f() { ls; }; f", "find . -exec grep x {} +", "$CMD", "git -C $DIR status"],
    ...["git commit -m 'no git push, no sudo'", "git log --grep sudo", "eval ls", "grep mount a | xargs cat"],
    ...["sh build.sh", "echo git; echo push"],
  ])("but %j runs at full", (line) => expect(decide(line, "full")).toBe("allow"));
});

describe("the line that a refusal suggests", () => {
  it.each([
    ...["PATH=. ls", "> /etc/x", "$CMD", "$CMD a && terraform apply", "echo x > ../y && PATH=. ls", "cd ..", "eval ls"],
    ...["find . -delete", "cat <(ls)", "terraform apply; docker ps", "'my tool' x", "git branch -D 'a b'", "git push"],
    ...["cat <(ls); git push", "git push && sudo ls", "sed -n '1w out' a", "git stash && git stash pop", "sh a.sh"],
    ...["PATH=. git push", "ls *.ts > $OUT", "./run.sh", "timeout -k 1 5 npm test", "cat <<EOF\n$(id)\nEOF"],
  ])("allows %j", (line) => {
    const decision = decide(line);
    if (decision === "allow" || decision.allowLine === null) throw new Error("nothing is suggested");
    const [, list = ""] = /^coder: \{ allow: (\[.*\]) \}$/.exec(decision.allowLine) ?? [];
    const wider = createPolicy({ allow: JSON.parse(list), deny: ["npm run deploy"] });
    expect(decideCommand(wider, "edit", line)).toBe("allow");
  });

  it("is not wider than needed", () => {
    expect(decide("PATH=. ls")).toEqual({
      denied: "not allowed: PATH=",
      allowLine: 'coder: { allow: ["PATH=. ls"] }',
    });
    expect(decide("git branch -D old")).toMatchObject({ allowLine: 'coder: { allow: ["git branch -D old"] }' });
    expect(decide("rm -rf /")).toMatchObject({ allowLine: null });
  });
});

describe("what can lose work is asked", () => {
  it.each([
    ...["git stash", "git stash drop", "git restore .", "git restore --staged a", "git branch -D a", "git branch -d a"],
    ...[
      "git branch --del a",
      "git branch -f a b",
      "git branch -M a",
      "git switch -f a",
      "git switch --discard-changes a",
    ],
    ...[
      "git switch -C a",
      "git rm -f a",
      "git rm -rf src",
      "git mv -f a b",
      "git diff --output=a",
      "git log --output a",
    ],
    ...[
      "sort -o a b",
      "sort -uo a b",
      "sort --output=a b",
      "sort --out a b",
      "sort --compress-program=./x a",
      "uniq a b",
    ],
    ...["sed -n '1w out' a", "sed -n 's/a/b/w out' a", "sed -n '1e id' a", "sed -n -i p a", "sed -n --in-place p a"],
    ...[
      "sed -n -f x a",
      "sed -n -e p -e 'w x' a",
      "sed -n '1p;2w x' a",
      "find . -delete",
      "find . -fprint a",
      "rg --pre ./x a",
    ],
  ])("%j", (line) => {
    expect(decide(line)).toMatchObject({ denied: expect.any(String), allowLine: expect.any(String) });
    expect(decide(line, "full")).toBe("allow");
  });

  it.each([
    ...[
      "git stash list",
      "git stash show -p",
      "git branch",
      "git branch -a",
      "git branch new",
      "git branch --show-current",
    ],
    ...[
      "git switch main",
      "git switch -c new",
      "git rm a",
      "git rm -r --cached dist",
      "git mv a b",
      "git diff --ours a",
    ],
    ...["sort -u a", "sort -k2,2 -n a", "uniq -c", "sed -n '1,20p' a", "sed -n '/from/,/to/p' a", "sed -n '$p' a"],
    ...["sed -n 's/a/b/gp' a", "sed -n -E -e '10,$p' a", "find . -name '*.ts' -type f", "git log --oneline -- a"],
  ])("but not %j", (line) => expect(decide(line)).toBe("allow"));

  it("unless the user's entry names the option", () => {
    const own = createPolicy({ allow: ["git branch -D", "sort -o", "git stash"] });
    for (const line of ["git branch -D a", "sort -o a b", "git stash pop"])
      expect(decideCommand(own, "edit", line)).toBe("allow");
  });
});
