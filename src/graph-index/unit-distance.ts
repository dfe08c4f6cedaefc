/**
 * Counts the edits between one text and many others, by UTF-16 units: inserting, deleting and replacing a unit and swapping two neighbours
 * each count one (optimal string alignment, Damerau 1964). Only cells near the diagonal are computed (Ukkonen 1985), in rows that are
 * reused.
 */
export class UnitDistance {
  private rows: [Int32Array, Int32Array, Int32Array];

  constructor(
    private readonly asked: Uint16Array,
    private readonly limit: number,
  ) {
    const width = asked.length + 1;
    this.rows = [new Int32Array(width), new Int32Array(width), new Int32Array(width)];
  }

  /** The distance to the text in `units` from `start` to `end`; `limit + 1` if it is greater than the limit. */
  to(units: Uint16Array, start: number, end: number): number {
    const { asked, limit } = this;
    const above = limit + 1;
    const [height, width] = [end - start, asked.length];
    if (height - width > limit || width - height > limit) return above;
    let [row, last, beforeLast] = this.rows;
    for (let j = 0; j <= width; j++) row[j] = j;
    for (let i = 1; i <= height; i++) {
      [row, last, beforeLast] = [beforeLast, row, last];
      const [from, to] = [Math.max(1, i - limit), Math.min(width, i + limit)];
      row[from - 1] = from === 1 ? i : above;
      let best = row[from - 1]!;
      const unit = units[start + i - 1]!;
      for (let j = from; j <= to; j++) {
        const same = asked[j - 1] === unit;
        let edits = last[j - 1]! + (same ? 0 : 1);
        if (row[j - 1]! + 1 < edits) edits = row[j - 1]! + 1;
        if (j < i + limit && last[j]! + 1 < edits) edits = last[j]! + 1;
        if (!same && i > 1 && j > 1 && asked[j - 2] === unit && asked[j - 1] === units[start + i - 2] && beforeLast[j - 2]! + 1 < edits)
          edits = beforeLast[j - 2]! + 1;
        row[j] = edits;
        if (edits < best) best = edits;
      }
      if (best > limit) return above;
    }
    return Math.min(row[width]!, above);
  }
}
