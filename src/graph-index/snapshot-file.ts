import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type SharedArray, sharedFloat64, sharedUint16, sharedUint32, sharedUint8 } from './shared-arrays.js';

/*
 * A file with one record of shared arrays:
 *
 *   8 bytes   magic, with the number of the format
 *   8 bytes   length of the head, CRC-32 of the head
 *   head      JSON: the stamp of the writer, the facts, and for each array its name, type, length and CRC-32
 *   arrays    one behind the other, each at a multiple of 8 bytes
 */
const magic = Buffer.from('GRAPHS01');
const makers = { Uint8Array: sharedUint8, Uint16Array: sharedUint16, Uint32Array: sharedUint32, Float64Array: sharedFloat64 };
/** The number of bytes that are read or checked in one go, which takes some milliseconds. */
const pieceBytes = 4_194_304;
const mostHeadBytes = 67_108_864;

interface Head {
  stamp: string;
  facts: Record<string, unknown>;
  arrays: { name: string; type: keyof typeof makers; length: number; crc: number }[];
}

/** Writes the record into a file beside the path and then renames it to the path, so that no reader sees a partial record. */
export async function writeSnapshot(path: string, stamp: string, record: object): Promise<void> {
  const [facts, arrays, data] = [{} as Head['facts'], [] as Head['arrays'], [] as SharedArray[]];
  for (const [name, value] of Object.entries(record)) {
    if (!ArrayBuffer.isView(value)) facts[name] = value;
    else {
      const array = value as SharedArray;
      const type = array.constructor.name as keyof typeof makers;
      arrays.push({ name, type, length: array.length, crc: await checksumOf(bytesIn(array)) });
      data.push(array);
    }
  }
  const head = Buffer.from(JSON.stringify({ stamp, facts, arrays } satisfies Head));
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32LE(head.length, 0);
  sizes.writeUInt32LE(crc32(head), 4);
  const beside = `${path}.${randomUUID()}`;
  const file = await open(beside, 'wx', 0o600);
  try {
    let at = await put(file, Buffer.concat([magic, sizes, head]), 0);
    for (const array of data) at = await put(file, bytesIn(array), padded(at));
    await file.close();
    await rename(beside, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(beside, { force: true });
    throw error;
  }
}

/**
 * Reads a record. Null for a file that is missing or damaged, has another format or stamp, or cannot be read.
 * @param expect called with the number of bytes of all arrays before they are read; an error that it throws is passed on
 */
export async function readSnapshot(path: string, stamp: string, expect: (bytes: number) => void = () => undefined): Promise<object | null> {
  const file = await open(path, 'r').catch(() => null);
  if (!file) return null;
  try {
    const start = await take(file, Buffer.alloc(16), 0);
    const headBytes = start.readUInt32LE(8);
    if (!start.subarray(0, 8).equals(magic) || headBytes > mostHeadBytes) return null;
    const text = await take(file, Buffer.alloc(headBytes), 16);
    if (crc32(text) !== start.readUInt32LE(12)) return null;
    const head = JSON.parse(text.toString('utf8')) as Head;
    if (head.stamp !== stamp) return null;
    expect(head.arrays.reduce((sum, { type, length }) => sum + length * makers[type](0).BYTES_PER_ELEMENT, 0));
    const record: Record<string, unknown> = { ...head.facts };
    let at = 16 + headBytes;
    for (const { name, type, length, crc } of head.arrays) {
      const array = makers[type](length);
      const bytes = bytesIn(array);
      at = padded(at);
      for (let from = 0; from < bytes.length; from += pieceBytes) {
        const piece = bytes.subarray(from, from + pieceBytes);
        await take(file, piece, at + from);
      }
      if ((await checksumOf(bytes)) !== crc) return null;
      at += bytes.length;
      record[name] = array;
    }
    return record;
  } catch (error) {
    if (error instanceof EndOfFileError || (error as NodeJS.ErrnoException).syscall !== undefined) return null;
    throw error;
  } finally {
    await file.close();
  }
}

class EndOfFileError extends Error {}

function bytesIn(array: SharedArray): Uint8Array<SharedArrayBuffer> {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function padded(position: number): number {
  return Math.ceil(position / 8) * 8;
}

async function put(file: FileHandle, bytes: Uint8Array, position: number): Promise<number> {
  for (let done = 0; done < bytes.length;) done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  return position + bytes.length;
}

async function take<T extends Uint8Array>(file: FileHandle, bytes: T, position: number): Promise<T> {
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, position + done);
    if (bytesRead === 0) throw new EndOfFileError();
    done += bytesRead;
  }
  return bytes;
}

async function checksumOf(bytes: Uint8Array): Promise<number> {
  let checksum = 0;
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    checksum = crc32(bytes.subarray(from, from + pieceBytes), checksum);
    await new Promise(resolve => setImmediate(resolve));
  }
  return checksum;
}
