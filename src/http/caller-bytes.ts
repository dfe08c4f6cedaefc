/** Counts the bytes of memory that each caller occupies at the moment. */
export class CallerBytes {
  private readonly held = new Map<string, number>();

  get isEmpty(): boolean {
    return this.held.size === 0;
  }

  of(caller: string): number {
    return this.held.get(caller) ?? 0;
  }

  add(caller: string, bytes: number): void {
    const held = this.of(caller) + bytes;
    if (held > 0) this.held.set(caller, held);
    else this.held.delete(caller);
  }
}
