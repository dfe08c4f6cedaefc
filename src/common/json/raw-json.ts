/** The bytes of a JSON value that is passed on as it is, so that a large value is neither parsed nor written again. */
export class RawJson {
  constructor(readonly bytes: Buffer) {}

  /** Called by `JSON.stringify`, for which the value has to be parsed. */
  toJSON(): unknown {
    return JSON.parse(this.bytes.toString('utf8'));
  }
}
