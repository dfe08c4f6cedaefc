import { Pace } from '../pace.js';
import { RawJson } from './raw-json.js';

/** Up to here a whole value is written in one go: that takes some milliseconds at most. */
const WRITTEN_AT_ONCE_BYTES = 262_144;
const SAMPLED = 4;

/** Whether an object's JSON is worth writing in turns, judged by the first elements of its arrays. */
export function isLarge(body: unknown): body is Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  return Object.values(body).some(value => {
    if (value instanceof RawJson) return true;
    if (!Array.isArray(value) || value.length === 0) return false;
    let sampled = 0;
    for (const element of value.slice(0, SAMPLED)) sampled += weightOf(element);
    return (sampled / Math.min(SAMPLED, value.length)) * value.length > WRITTEN_AT_ONCE_BYTES;
  });
}

/** Characters of the texts in a value and a few for everything else; nothing is written for it. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let sum = 2;
  for (const inner of Object.values(value)) sum += weightOf(inner);
  return sum;
}

/**
 * The JSON of an object in pieces, written so that the event loop is left in between: arrays by their elements, and raw values as
 * they are.
 * @param onBytes hears of every piece's size as it is written; may throw to end it
 */
export async function writeInTurns(
  body: Record<string, unknown>,
  pace = new Pace(),
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  const append = (piece: Buffer): void => {
    pieces.push(piece);
    onBytes(piece.length);
  };
  const text = (piece: string): void => append(Buffer.from(piece));
  let separator = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    text(`${separator}${JSON.stringify(name)}:`);
    separator = ',';
    if (value instanceof RawJson) append(value.bytes);
    else if (Array.isArray(value)) await writeArray(value, pace, text);
    else text(JSON.stringify(value));
  }
  text(separator === '{' ? '{}' : '}');
  return pieces;
}

/** Gathers short elements, so that a million of them are not a million pieces. */
async function writeArray(elements: unknown[], pace: Pace, text: (piece: string) => void): Promise<void> {
  let gathered = '[';
  for (const [i, element] of elements.entries()) {
    gathered += (i === 0 ? '' : ',') + (JSON.stringify(element) ?? 'null');
    if (gathered.length > 65_536) {
      text(gathered);
      gathered = '';
    }
    if (pace.isOverdue) await pace.turn();
  }
  text(`${gathered}]`);
}
