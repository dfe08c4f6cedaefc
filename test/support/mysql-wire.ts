/** A packet of MySQL's protocol. */
export function packet(sequence: number, ...parts: (Buffer | number[])[]): Buffer {
  const body = Buffer.concat(parts.map(part => Buffer.from(part)));
  return Buffer.concat([Buffer.from([body.length & 255, (body.length >> 8) & 255, body.length >> 16, sequence]), body]);
}

/** The 20 random bytes with which a server has the client hash its password. */
export const scramble = Buffer.from('12345678123456789012');

/** The first packet of a server. Its capability flags leave out compression, and TLS unless `hasTls`. */
export function greetingOf({ plugin = 'mysql_native_password', hasTls = false } = {}): Buffer {
  return packet(
    0,
    [10],
    Buffer.from('8.4.0\0'),
    [1, 0, 0, 0],
    scramble.subarray(0, 8),
    [0, 0xdf, hasTls ? 0xff : 0xf7, 45, 2, 0, 0xff, 0x81, 21],
    Buffer.alloc(10),
    scramble.subarray(8),
    Buffer.from(`\0${plugin}\0`),
  );
}

/** An OK packet, with the status flag for autocommit. */
export const ok = (sequence: number): Buffer => packet(sequence, [0, 0, 0, 2, 0, 0, 0]);

export interface WireColumn {
  name?: string;
  /** Number of the type in the protocol; 253, a text, by default. */
  type?: number;
  /** Number of a collation; 45, a collation of utf8mb4, by default. */
  charset?: number;
}

const end = (sequence: number): Buffer => packet(sequence, [254, 0, 0, 2, 0]);

/** The answer to the preparation of a statement without parameters. */
export const prepared = packet(1, [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/** The columns and rows of a prepared statement. A row begins with a zero byte and the bitmap of its null values. */
export function resultOf(columns: WireColumn[], rows: (Buffer | number[])[]): Buffer {
  let sequence = 1;
  const definitions = columns.map(({ name = 'a', type = 253, charset = 45 }) =>
    packet(++sequence, [0, 0, 0, 0, name.length], Buffer.from(name), [0, 12, charset & 255, charset >> 8, 0, 0, 0, 0, type, 0, 0, 0, 0, 0]),
  );
  const count = packet(1, [252, columns.length & 255, columns.length >> 8]);
  return Buffer.concat([count, ...definitions, end(++sequence), ...rows.map(row => packet(++sequence, row)), end(++sequence)]);
}
