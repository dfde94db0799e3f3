import fc from "fast-check";

const surrogates = { from: 0xd800, count: 0x800 };

/** Any character, just as the unit "binary" of fast-check has it, which first takes a second to list all of them. */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff - surrogates.count }).map(
  (nth) => String.fromCodePoint(nth < surrogates.from ? nth : nth + surrogates.count),
  (text) => {
    const [character = "", ...others] = typeof text === "string" ? text : "";
    if (others.length > 0 || !/^\P{Cs}$/su.test(character)) throw new Error("not one character");
    const code = character.codePointAt(0) ?? 0;
    return code < surrogates.from ? code : code - surrogates.count;
  },
);
