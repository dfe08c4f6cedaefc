/** Cuts a text that has more than `most` characters (code points) to its beginning and an ellipsis. Shorter texts stay as they are. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = [...text.slice(0, 2 * most + 2)];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
