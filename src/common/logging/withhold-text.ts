const withheld = new WeakSet<object>();

/**
 * Marks an error whose message was not written by this service, for example one that a foreign server sent. The log shows its type, its
 * code if that has the form of a code, and where it was thrown.
 */
export function withholdText(error: unknown): void {
  if (typeof error === 'object' && error !== null) withheld.add(error);
}

export function isTextWithheld(error: object): boolean {
  return withheld.has(error);
}
