/** Maximum number of arguments of a function in PostgreSQL. */
const mostArguments = 100;

/** SQL of a jsonb array of any number of SQL expressions. */
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
