/** The name of a type without its parentheses and their content: `numeric` for `numeric(12,2)`. */
export function withoutLength(type: string): string {
  return type.replace(/\([^()]*\)/g, '');
}
