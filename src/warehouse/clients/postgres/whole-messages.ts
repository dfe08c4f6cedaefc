/**
 * Checks the messages of PostgreSQL's protocol, version 3 (https://www.postgresql.org/docs/current/protocol-message-formats.html), before
 * node-postgres reads them. If a message has fewer items than it states, node-postgres reads past the end of the message. On some messages
 * node-postgres loops forever.
 */

const headerBytes = 5;
/** The most columns that PostgreSQL allows in a result. */
const mostColumns = 1_664;
/** The most parts of an unfinished message that are kept; beyond that they are joined to one buffer. */
const mostParts = 1_000;

type Check = (bytes: Buffer, start: number, end: number) => boolean;

/** Checks a message that has, after `skipped` bytes, at least `count` texts that each end with a zero byte. */
const hasTexts =
  (count: number, skipped = 0): Check =>
  (bytes, start, end) => {
    let at = start + skipped;
    for (let left = count; left > 0; left--) if ((at = afterText(bytes, at, end)) < 0) return false;
    return true;
  };

/** @returns the place after the zero byte that ends the text at `at`; -1 if the message has no such byte */
function afterText(bytes: Buffer, at: number, end: number): number {
  const zero = at < end ? bytes.indexOf(0, at) : -1;
  return zero < 0 || zero >= end ? -1 : zero + 1;
}

const hasBytes =
  (count: number): Check =>
  (_, start, end) =>
    end - start >= count;

/** Checks a message that has a 16-bit count at `offset`, followed by exactly that many items of `itemBytes` bytes. */
const hasItems =
  (offset: number, itemBytes: number): Check =>
  (bytes, start, end) => {
    if (end - start < offset + 2) return false;
    const count = bytes.readInt16BE(start + offset);
    return count >= 0 && end - start === offset + 2 + count * itemBytes;
  };

/** Checks a message of fields, each with a letter and a text, and with a zero byte at the end. */
const hasFields: Check = (bytes, start, end) => {
  let at = start;
  while (at < end && bytes[at] !== 0) if ((at = afterText(bytes, at + 1, end)) < 0) return false;
  return at === end - 1;
};

/** The check of each kind of message, by the letter of the kind. Only kinds whose content node-postgres parses need one. */
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

/**
 * Passes on whole messages whose content agrees with their counts. An instance serves one connection, and keeps the column count of the
 * last row description.
 */
export class WholeMessages {
  private parts: Buffer[] = [];
  private heldBytes = 0;
  /** The length of the incomplete message; before its header is complete, the length of a header. */
  private wantedBytes = 0;
  private columns = 0;
  private readonly steps = new Set<number>();

  /**
   * @returns all messages that this chunk completes, in their order; an incomplete message at the end is kept for the next call
   * @throws Error for a message whose shape is not that of the protocol
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

  /** @returns the end of the last complete message. @throws Error for a malformed message */
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

  /**
   * Checks an authentication message: each kind may come only once in a login. SCRAM derives a key at its second message, which blocks a
   * thread for long, so a server must not repeat it.
   */
  private isNextStep(bytes: Buffer, start: number, end: number): boolean {
    if (end - start < 4) return false;
    const step = bytes.readInt32BE(start);
    if (this.steps.has(step)) return false;
    this.steps.add(step);
    if (step === 5) return end - start === 8;
    return step !== 10 || hasNames(bytes, start + 4, end);
  }
}

/** Checks a list of authentication mechanisms: names that end with a zero byte, and an empty name at the end. */
function hasNames(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && bytes[at] !== 0) if ((at = afterText(bytes, at, end)) < 0) return false;
  return at < end;
}

/** @throws Error for a message whose length field is less than the 4 bytes of the field itself */
function messageBytes(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at + 1);
  if (length < 4) throw new Error("A message of PostgreSQL's protocol is shorter than its length");
  return 1 + length;
}

/** Checks the length fields of messages whose content another parser reads. */
export class MessageLengths {
  private header: Buffer = Buffer.alloc(0);
  private skippedBytes = 0;

  /** @throws Error for a message whose length field is less than the 4 bytes of the field itself */
  check(chunk: Buffer): void {
    const bytes = this.header.length === 0 ? chunk : Buffer.concat([this.header, chunk]);
    let at = this.skippedBytes;
    while (at + headerBytes <= bytes.length) at += messageBytes(bytes, at);
    this.header = bytes.subarray(Math.min(at, bytes.length));
    this.skippedBytes = Math.max(0, at - bytes.length);
  }
}
