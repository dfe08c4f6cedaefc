/** The bytes of a JSON value that pass through as they are: large values are neither parsed nor written again. */
export class RawJson {
  constructor(readonly bytes: Buffer) {}

  /** For whoever writes it after all. */
  toJSON(): unknown {
    return JSON.parse(this.bytes.toString('utf8'));
  }
}
