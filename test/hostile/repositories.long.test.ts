import { describeAttacks } from "./describe-attacks.ts";
import { broughtPackages } from "./fixtures/packages.ts";
import { broughtRecords } from "./fixtures/records.ts";

describeAttacks("a clone that has", [...broughtPackages, ...broughtRecords]);
