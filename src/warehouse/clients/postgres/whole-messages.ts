/**
 * The messages of PostgreSQL's protocol, version 3 (https://www.postgresql.org/docs/current/protocol-message-formats.html), checked
 * before node-postgres reads them: it reads on behind the end of a message that holds less than it says, and never ends on some.
 */

const headerBytes = 5;
/** PostgreSQL's own most of a result. */
const mostColumns = 1_664;
/** So many parts of a message are kept apart before they are joined. */
const mostParts = 1_000;

type Check = (bytes: Buffer, start: number, end: number) => boolean;

/** Texts that end with a zero, `count` of them or more, from `start` on. */
const hasTexts =
  (count: number, skipped = 0): Check =>
  (bytes, start, end) => {
    let at = start + skipped;
    for (let left = count; left > 0; left--) if ((at = afterText(bytes, at, end)) < 0) return false;
    return true;
  };

/** The place behind the text's zero; -1 if the message holds none. */
function afterText(bytes: Buffer, at: number, end: number): number {
  const zero = at < end ? bytes.indexOf(0, at) : -1;
  return zero < 0 || zero >= end ? -1 : zero + 1;
}

const hasBytes =
  (count: number): Check =>
  (_, start, end) =>
    end - start >= count;

/** A count of 16 bits at `offset`, and so many items of `itemBytes` to the end. */
const hasItems =
  (offset: number, itemBytes: number): Check =>
  (bytes, start, end) => {
    if (end - start < offset + 2) return false;
    const count = bytes.readInt16BE(start + offset);
    return count >= 0 && end - start === offset + 2 + count * itemBytes;
  };

/** Fields of a letter and a text, and a zero at the end. */
const hasFields: Check = (bytes, start, end) => {
  let at = start;
  while (at < end && bytes[at] !== 0) if ((at = afterText(bytes, at + 1, end)) < 0) return false;
  return at === end - 1;
};

/** The shape of each message that node-postgres reads beyond its header. */
const checks: Record<string, Check> = {
  A: hasTexts(2, 4),
  C: hasTexts(1),
  E: hasFields,
  G: hasItems(1, 2),
  H: hasItems(1, 2),
  K: hasBytes(8),
  N: hasFields,
  S: hasTexts(2),
  Z: hasBytes(1),
  t: hasItems(0, 4),
};

/** Passes on whole messages that hold what they say. It is for one connection, and knows its last description of rows. */
export class WholeMessages {
  private parts: Buffer[] = [];
  private heldBytes = 0;
  /** The bytes of the message that is held in part, as far as they are known. */
  private wantedBytes = 0;
  private columns = 0;
  private readonly steps = new Set<number>();

  /**
   * @returns the messages that are whole with this chunk, behind each other; a last part is kept
   * @throws Error for a message of another shape than the protocol's
   */
  take(chunk: Buffer): Buffer {
    if (this.heldBytes + chunk.length < this.wantedBytes) {
      this.hold(chunk);
      return Buffer.alloc(0);
    }
    const bytes = this.parts.length === 0 ? chunk : Buffer.concat([...this.parts, chunk]);
    const end = this.checkedEnd(bytes);
    this.parts = [];
    this.heldBytes = 0;
    if (end < bytes.length) this.hold(bytes.subarray(end));
    return bytes.subarray(0, end);
  }

  private hold(part: Buffer): void {
    this.heldBytes += part.length;
    this.parts.push(part);
    if (this.parts.length > mostParts) this.parts = [Buffer.concat(this.parts)];
  }

  /** The end of the last whole message. */
  private checkedEnd(bytes: Buffer): number {
    let at = 0;
    while (at + headerBytes <= bytes.length) {
      const end = at + messageBytes(bytes, at);
      if (end > bytes.length) {
        this.wantedBytes = end - at;
        return at;
      }
      const code = String.fromCharCode(bytes[at]!);
      if (!this.fits(code, bytes, at + headerBytes, end)) throw new Error(`A message '${code}' of PostgreSQL's protocol is malformed`);
      at = end;
    }
    this.wantedBytes = headerBytes;
    return at;
  }

  private fits(code: string, bytes: Buffer, start: number, end: number): boolean {
    if (code === 'D') return this.isRow(bytes, start, end);
    if (code === 'T') return this.describes(bytes, start, end);
    if (code === 'R') return this.isNextStep(bytes, start, end);
    return checks[code]?.(bytes, start, end) ?? true;
  }

  private isRow(bytes: Buffer, start: number, end: number): boolean {
    if (end - start < 2 || bytes.readInt16BE(start) !== this.columns) return false;
    let at = start + 2;
    for (let left = this.columns; left > 0; left--) {
      if (at + 4 > end) return false;
      const length = bytes.readInt32BE(at);
      if (length < -1) return false;
      at += 4 + Math.max(0, length);
    }
    return at === end;
  }

  private describes(bytes: Buffer, start: number, end: number): boolean {
    if (end - start < 2) return false;
    this.columns = bytes.readInt16BE(start);
    if (this.columns < 0 || this.columns > mostColumns) return false;
    let at = start + 2;
    for (let left = this.columns; left > 0; left--) {
      at = afterText(bytes, at, end);
      if (at < 0) return false;
      at += 18;
    }
    return at === end;
  }

  /** Each step of a login comes once. SCRAM derives a key at its second, which takes a thread for long. */
  private isNextStep(bytes: Buffer, start: number, end: number): boolean {
    if (end - start < 4) return false;
    const step = bytes.readInt32BE(start);
    if (this.steps.has(step)) return false;
    this.steps.add(step);
    if (step === 5) return end - start === 8;
    return step !== 10 || hasNames(bytes, start + 4, end);
  }
}

/** Names of mechanisms, and an empty one at the end. */
function hasNames(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && bytes[at] !== 0) if ((at = afterText(bytes, at, end)) < 0) return false;
  return at < end;
}

/** @throws Error for a message that says it is shorter than its length itself */
function messageBytes(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at + 1);
  if (length < 4) throw new Error("A message of PostgreSQL's protocol is shorter than its length");
  return 1 + length;
}

/** Checks the lengths of messages that somebody else reads. */
export class MessageLengths {
  private header: Buffer = Buffer.alloc(0);
  private skippedBytes = 0;

  /** @throws Error for a message that says it is shorter than its length itself */
  check(chunk: Buffer): void {
    const bytes = this.header.length === 0 ? chunk : Buffer.concat([this.header, chunk]);
    let at = this.skippedBytes;
    while (at + headerBytes <= bytes.length) at += messageBytes(bytes, at);
    this.header = bytes.subarray(Math.min(at, bytes.length));
    this.skippedBytes = Math.max(0, at - bytes.length);
  }
}
