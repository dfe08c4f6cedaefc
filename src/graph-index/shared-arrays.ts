/**
 * An array in memory that threads share. Flat records hold such arrays beside facts that JSON can hold. Threads send a record to each other
 * without copying its arrays, and files keep the arrays as they are. Nobody changes an array once its record is complete.
 */
export type SharedArray =
  Uint8Array<SharedArrayBuffer> | Uint16Array<SharedArrayBuffer> | Uint32Array<SharedArrayBuffer> | Float64Array<SharedArrayBuffer>;

export function sharedUint8(length: number): Uint8Array<SharedArrayBuffer> {
  return new Uint8Array(new SharedArrayBuffer(length));
}

export function sharedUint16(length: number): Uint16Array<SharedArrayBuffer> {
  return new Uint16Array(new SharedArrayBuffer(length * 2));
}

export function sharedUint32(length: number): Uint32Array<SharedArrayBuffer> {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

export function sharedFloat64(length: number): Float64Array<SharedArrayBuffer> {
  return new Float64Array(new SharedArrayBuffer(length * 8));
}

/** The bytes of all arrays of a record together. */
export function bytesOf(record: object): number {
  return Object.values(record).reduce<number>((sum, value) => sum + (ArrayBuffer.isView(value) ? value.byteLength : 0), 0);
}
