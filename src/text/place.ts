/** A place in a text that a user wrote. Lines and columns count from 1; a column counts characters (code points). */
export interface Place {
  line: number;
  column: number;
}

/** A piece of a text that a user wrote. `end` is the place after its last character. */
export interface Span extends Place {
  end: Place;
}

/** The place of an offset (UTF-16 units from 0). */
export function placeAt(text: string, offset: number): Place {
  return placesIn(text)(offset);
}

/** Returns a function from offsets to places. The lines are found once for all offsets, because each of many lines can have a fault. */
export function placesIn(text: string): (offset: number) => Place {
  let starts: number[] | null = null;
  return offset => {
    starts ??= [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ 0: end, index }) => index + end.length)];
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: charactersIn(text, starts[low]!, offset) + 1 };
  };
}

/** The 1-based position of an offset (UTF-16 units from 0), in characters of the whole text. */
export function positionAt(text: string, offset: number): number {
  return charactersIn(text, 0, offset) + 1;
}

/** The offset (UTF-16 units from 0) of a 1-based position in characters. */
export function offsetAt(text: string, position: number): number {
  let offset = 0;
  for (let left = position - 1; left > 0 && offset < text.length; left--) offset += unitsAt(text, offset);
  return offset;
}

function charactersIn(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; count++) at += unitsAt(text, at);
  return count;
}

function unitsAt(text: string, offset: number): 1 | 2 {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}
