/** A checksum against accidental damage, not against forgery: 14 hex digits over a text and the previous checksum. */
export function checksum(text: string, before: string): string {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (const part of [before, text]) {
    for (let at = 0; at < part.length; at++) {
      const unit = part.charCodeAt(at);
      high = Math.imul(high ^ unit, 0x5bd1e995);
      low = Math.imul(low ^ unit, 0x1b873593);
    }
  }
  high = Math.imul(high ^ (high >>> 15), 0x2c1b3c6d) ^ Math.imul(low ^ (low >>> 13), 0x297a2d39);
  low = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d) ^ Math.imul(high ^ (high >>> 13), 0x297a2d39);
  return hex(high, 7) + hex(low, 7);
}

function hex(value: number, digits: number): string {
  return (value >>> 0).toString(16).padStart(8, "0").slice(-digits);
}
