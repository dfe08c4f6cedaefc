import { type Check } from './match-checks.js';

/** Keeps the conditions of a match until the variables that they read are bound. */
export class WaitingChecks {
  private readonly bySlot = new Map<number, Check[]>();
  /** For each waiting condition, the number of its slots that are not bound yet. */
  private readonly missing = new Map<Check, number>();
  private ready: Check[] = [];

  /** @param own the slots that the match itself binds */
  constructor(
    private readonly all: readonly Check[],
    own: ReadonlySet<number>,
  ) {
    for (const check of all) {
      const slots = [...check.slots].filter(slot => own.has(slot));
      this.missing.set(check, slots.length);
      if (slots.length === 0) this.ready.push(check);
      for (const slot of slots) {
        const known = this.bySlot.get(slot);
        if (known) known.push(check);
        else this.bySlot.set(slot, [check]);
      }
    }
  }

  bind(slot: number): void {
    for (const check of this.bySlot.get(slot) ?? []) {
      const missing = this.missing.get(check);
      if (missing === undefined) continue;
      this.missing.set(check, missing - 1);
      if (missing === 1) this.ready.push(check);
    }
    this.bySlot.delete(slot);
  }

  /** Takes the conditions whose slots are all bound, in their original order, each once. */
  takeReady(): Check[] {
    if (this.ready.length === 0) return [];
    const ready = new Set(this.ready.filter(check => this.missing.delete(check)));
    this.ready = [];
    return ready.size < 2 ? [...ready] : this.all.filter(check => ready.has(check));
  }

  /** Removes a condition that a step of the match tests itself. */
  take(check: Check): void {
    this.missing.delete(check);
  }

  isWaiting(check: Check): boolean {
    return this.missing.has(check);
  }

  get size(): number {
    return this.missing.size;
  }
}
