/** The name of a type without what is in its parentheses: `numeric` for `numeric(12,2)`. */
export function withoutLength(type: string): string {
  return type.replace(/\([^()]*\)/g, '');
}
