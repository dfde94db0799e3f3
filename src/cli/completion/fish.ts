import { type Choice, type CompletedCommand, type CompletedOption, families } from "./completed-command.ts";

/** A completion script for fish. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const groups = [...families(commands)];
  const single = commands.filter(({ name }) => !name.includes(" "));
  const first = [
    ...single.map(({ name, about }) => word("", name, about)),
    ...groups.map(([name, members]) => word("", name, members.map((each) => each.name.split(" ")[1]).join(", "))),
  ];
  const second = groups.flatMap(([group, members]) =>
    members.map(({ name, about }) => word(group, name.split(" ")[1] ?? "", about)),
  );
  return `# Completion for holdfast in fish.
# True when the words before the cursor begin with this command; for a first word, when no other follows yet.
function __holdfast_is
  set -l typed (commandline -opc)
  set -e typed[1]
  set -l wanted (string split -n ' ' -- $argv[2])
  if test $argv[1] = begun
    test (count $typed) -eq (count $wanted); or return 1
  else
    test (count $typed) -ge (count $wanted); or return 1
  end
  for i in (seq (count $wanted))
    test "$typed[$i]" = "$wanted[$i]"; or return 1
  end
end

function __holdfast_names
  command holdfast completion $argv[1] 2>/dev/null
end

complete -c holdfast -f
${[...first, ...second, ...commands.flatMap(commandLines)].join("")}`;
}

function word(group: string, name: string, about: string): string {
  return `complete -c holdfast -n "__holdfast_is begun '${group}'" -a ${name} -d ${quoted(about)}\n`;
}

function commandLines({ name, options, positionals }: CompletedCommand): string[] {
  const condition = `complete -c holdfast -n "__holdfast_is within '${name}'"`;
  const places = [...new Set(positionals.map(argumentsOf))].filter((each) => each !== "");
  return [
    ...options.map(
      (option) => `${condition} ${flagsOf(option)} -d ${quoted(option.about)}${offeredFor(option.choice)}\n`,
    ),
    ...places.map((place) => `${condition} ${place}\n`),
  ];
}

function flagsOf({ flags }: CompletedOption): string {
  return flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(" ");
}

function offeredFor(choice: Choice | null): string {
  if (choice === null) return "";
  const offered = argumentsOf(choice);
  return offered === "" ? " -x" : ` -r ${offered}`;
}

function argumentsOf(choice: Choice): string {
  switch (choice.type) {
    case "values":
      return `-f -a ${quoted(choice.values.join(" "))}`;
    case "names":
      return `-f -a "(__holdfast_names ${choice.names})"`;
    case "files":
      return "-F";
    case "text":
      return "";
  }
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
