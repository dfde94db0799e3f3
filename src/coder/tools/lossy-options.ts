import type { Word } from "./command-line.ts";

type IsSafe = (given: readonly string[]) => boolean;

/** With options other than these, a command that is harmless otherwise writes files, runs programs or discards work. */
const safeUses: Readonly<Record<string, IsSafe>> = {
  sort: without(/^-[a-z]*o|^--o|^--compress/i),
  uniq: (given) => given.filter((word) => !/^[-+]./.test(word)).length < 2,
  rg: without(/^--pre$|^--pre=|^--hostname-bin/),
  "sed -n": isReadingSed,
  "git diff": without(/^--out?(?:p|$|=)|^--ext-diff/),
  "git log": without(/^--out?(?:p|$|=)|^--ext-diff/),
  "git show": without(/^--out?(?:p|$|=)|^--ext-diff/),
  "git branch": only(
    /^-[arvlqi]+$|^--(?:list|all|remotes|show-current|verbose|(?:no-)?(?:contains|merged)|sort|format|points-at)(?:=|$)/,
  ),
  "git switch": only(/^-[cdqt]+$|^--(?:create|detach|quiet|(?:no-)?track|guess|no-guess)(?:=|$)|^-$/),
  "git rm": only(/^-[rqn]+$|^--(?:cached|quiet|dry-run|ignore-unmatch)$/),
  "git mv": only(/^-[kvn]+$|^--(?:verbose|dry-run)$/),
};

/** Whether an allowed command has options that its entry does not mean. An entry that names such an option does. */
export function canLoseWork(words: readonly Word[], entry: string): boolean {
  const texts = words.map(({ text }) => text);
  const named = entry.split(/\s+/).length;
  return [1, 2].some((length) => {
    const isSafe = named > length ? undefined : safeUses[texts.slice(0, length).join(" ")];
    return isSafe !== undefined && !isSafe(texts.slice(length));
  });
}

function without(risk: RegExp): IsSafe {
  return (given) => !optionsIn(given).some((word) => risk.test(word));
}

function only(safe: RegExp): IsSafe {
  return (given) => optionsIn(given).every((word) => safe.test(word));
}

/** What comes after `--` is no option. */
function optionsIn(given: readonly string[]): readonly string[] {
  const end = given.indexOf("--");
  return (end === -1 ? given : given.slice(0, end)).filter((word) => word.startsWith("-"));
}

const address = String.raw`(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n]|\\.)*\/I?)`;
const action = String.raw`(?:[pdlqQ=]|s([/|,#])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiI\d]*)?`;
const sedCommand = new RegExp(String.raw`^\s*(?:${address}(?:,[~+]?${address})?\s*!?\s*)?${action}\s*$`);

/** Only printing, deleting from the output, quitting and replacing: others write files, or run commands. */
function isReadingSed(given: readonly string[]): boolean {
  const scripts: string[] = [];
  let hasScript = false;
  for (let index = 0; index < given.length; index++) {
    const word = given[index] ?? "";
    if (word === "-e") {
      scripts.push(given[++index] ?? "");
      hasScript = true;
    } else if (word.startsWith("-") && word !== "-") {
      if (!/^-[nErsuz]+$/.test(word)) return false;
    } else if (!hasScript) {
      scripts.push(word);
      hasScript = true;
    }
  }
  return scripts.every((script) => script.split(/[;\n]/).every((command) => sedCommand.test(command)));
}
