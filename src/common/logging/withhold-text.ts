const withheld = new WeakSet<object>();

/**
 * Marks an error whose words are not ours, such as one that somebody else's server sent. The log keeps its type, its code if that is
 * a code, and where it was thrown.
 */
export function withholdText(error: unknown): void {
  if (typeof error === 'object' && error !== null) withheld.add(error);
}

export function isTextWithheld(error: object): boolean {
  return withheld.has(error);
}
