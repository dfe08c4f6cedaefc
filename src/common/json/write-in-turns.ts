import { Pace } from '../turns/pace.js';
import { RawJson } from './raw-json.js';

/** A value of up to this many bytes is written in one go, which takes some milliseconds at most. */
const writtenAtOnceBytes = 262_144;
/** The number of characters of one piece. Smaller pieces would cost more writes. */
const pieceCharacters = 65_536;

/**
 * Whether an object is large enough to be written in turns. An object with raw values always is: written in one go, its raw values would be
 * parsed.
 */
export function isLarge(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && weightOf(body) > writtenAtOnceBytes;
}

/**
 * Estimates the length of a value's JSON without writing it: the characters of its texts, and a few characters for everything else.
 * Counting stops beyond `writtenAtOnceBytes`.
 */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (value instanceof RawJson) return Infinity;
  let sum = 2;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (sum > writtenAtOnceBytes) break;
    sum += weightOf(inner);
  }
  return sum;
}

/** Collects JSON in pieces, and yields the event loop between them. */
export class JsonPieces {
  private readonly pieces: Buffer[] = [];
  private gathered = '';

  /** @param onBytes called with the size of every piece that is written; it may throw to stop the writing */
  constructor(
    private readonly pace = new Pace(),
    private readonly onBytes: (bytes: number) => void = () => undefined,
  ) {}

  /** Writes an object: each of its arrays element by element, each raw value as its bytes. */
  object(body: Record<string, unknown>): Promise<this> {
    return this.parts(objectParts(body));
  }

  array(elements: unknown[]): Promise<this> {
    return this.parts(arrayParts(elements));
  }

  text(text: string): this {
    this.gathered += text;
    if (this.gathered.length > pieceCharacters) this.flush();
    return this;
  }

  end(): Buffer[] {
    this.flush();
    return this.pieces;
  }

  private async parts(parts: Iterable<string | Buffer>): Promise<this> {
    for (const part of parts) {
      if (typeof part === 'string') this.text(part);
      else this.raw(part);
      if (this.pace.isOverdue) await this.pace.turn();
    }
    return this;
  }

  private raw(bytes: Buffer): void {
    this.flush();
    this.append(bytes);
  }

  private flush(): void {
    if (this.gathered !== '') this.append(Buffer.from(this.gathered));
    this.gathered = '';
  }

  private append(piece: Buffer): void {
    this.pieces.push(piece);
    this.onBytes(piece.length);
  }
}

/** The JSON of an object in parts. An array in it is split like `arrayParts`. Raw values stay bytes. */
export function* objectParts(body: object): Generator<string | Buffer> {
  let separator = '{';
  for (const [name, value] of Object.entries(body)) {
    const isInParts = value instanceof RawJson || Array.isArray(value) || isLargeValue(value);
    const whole = isInParts ? '' : JSON.stringify(value);
    // JSON.stringify leaves out undefined and functions, so they are left out here too.
    if (whole === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:${whole}`;
    separator = ',';
    if (value instanceof RawJson) yield value.bytes;
    else if (isInParts) yield* largeParts(value as object);
  }
  yield separator === '{' ? '{}' : '}';
}

/** The JSON of an array in parts: one part for each element that is not large, and several for a large one. */
export function* arrayParts(elements: readonly unknown[]): Generator<string | Buffer> {
  let separator = '[';
  for (const element of elements) {
    if (isLargeValue(element)) {
      yield separator;
      yield* largeParts(element);
    } else yield separator + (JSON.stringify(element) ?? 'null');
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

function largeParts(value: object): Generator<string | Buffer> {
  return Array.isArray(value) ? arrayParts(value) : objectParts(value);
}

function isLargeValue(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value) && weightOf(value) > writtenAtOnceBytes;
}

/** Writes the JSON of an object in pieces. */
export async function writeInTurns(body: Record<string, unknown>): Promise<Buffer[]> {
  return (await new JsonPieces().object(body)).end();
}
