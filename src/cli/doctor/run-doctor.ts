import { mend } from "../../hosts/contract/finding.ts";
import { hostNames } from "../../hosts/contract/names.ts";
import { diagnoseHost, type Surroundings } from "../../hosts/diagnose/diagnose.ts";
import { hosts } from "../../hosts/hosts.ts";
import { projectFolder } from "../../hosts/install/project-root.ts";
import { diagnoseUser, type UserDiagnosis } from "../../hosts/user/diagnose-user.ts";
import { findUser } from "../../project/find-user.ts";
import { installation, version } from "../../project/version.ts";
import { flagOption, type ParsedArguments } from "../command/command.ts";
import { exitCodes } from "../terminal/exit-codes.ts";
import type { Io } from "../terminal/io.ts";
import type { Paint } from "../terminal/paint.ts";
import { checkFolder } from "./check-folder.ts";
import { checkHere } from "./check-here.ts";
import { checkShim } from "./check-shim.ts";
import { printReport } from "./print-report.ts";
import type { Part } from "./report.ts";
import { tryHooks } from "./try-hooks.ts";

/** Checks how the project is set up, runs the installed hooks, and reports what to fix. */
export async function runDoctor(parsed: ParsedArguments, io: Io, paint: Paint): Promise<number> {
  const { home, configFolder } = findUser(io.env);
  const around = { project: projectFolder(io.cwd), home, version: version() };
  const forUser = diagnoseUser({ home, folder: configFolder, installation }, Object.values(hosts));
  const parts: Part[] = [];
  for (const name of hostNames) {
    const diagnosis = diagnoseHost(hosts[name], around);
    if (diagnosis === null) continue;
    const tried = await tryHooks(diagnosis, around, io);
    const place = { ...around, hasUserHooks: forUser?.hosts.includes(hosts[name]) === true };
    const below = await checkFolder(hosts[name], diagnosis, place, io);
    parts.push({ title: diagnosis.title, findings: [...diagnosis.findings, ...tried, ...below] });
  }
  if (forUser !== null) parts.push(await userPart(forUser, around, io));
  if (parts.length === 0) parts.push(nothingSetUp);
  parts.push({ title: "Here", findings: await checkHere(parsed, io) });
  const report = { version: around.version, node: process.versions.node, project: around.project, parts };
  const hasProblems = parts.some(({ findings }) => findings.some(({ status }) => status === "mend"));
  if (flagOption(parsed, "json")) io.out(`${JSON.stringify({ well: !hasProblems, ...report })}\n`);
  else io.out(printReport(report, paint));
  return hasProblems ? exitCodes.refused : exitCodes.done;
}

async function userPart({ hosts: chosen, findings, shim }: UserDiagnosis, around: Surroundings, io: Io): Promise<Part> {
  const names = chosen.map(({ title }) => title).join(", ");
  const tried = shim === null ? [] : (await checkShim(shim, around, io)).findings;
  return { title: `Every project of yours: ${names}`, findings: [...findings, ...tried] };
}

const nothingSetUp: Part = {
  title: "Agent",
  findings: [mend("hooks", "no agent program is set up in this project", "holdfast init")],
};
