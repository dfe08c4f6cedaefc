/** The most arguments of a call. PostgreSQL passes at most 100 arguments to a function. */
const mostArguments = 100;

/** SQL of a jsonb array with the values of these SQL expressions. There may be any number of them. */
export function jsonbArray(elements: string[]): string {
  return inPieces('jsonb_build_array', elements, mostArguments);
}

/** SQL of a jsonb object. Each pair is the SQL text `key, value`. */
export function jsonbObject(pairs: string[]): string {
  return inPieces('jsonb_build_object', pairs, mostArguments / 2);
}

function inPieces(build: string, items: string[], most: number): string {
  const pieces: string[] = [];
  for (let from = 0; from === 0 || from < items.length; from += most) {
    pieces.push(`${build}(${items.slice(from, from + most).join(', ')})`);
  }
  return pieces.length === 1 ? pieces[0]! : `(${pieces.join(' || ')})`;
}
