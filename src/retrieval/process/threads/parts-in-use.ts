import { bytesOf } from '../../../graph-index/shared-arrays.js';
import { PartCopies } from './part-copies.js';
import { type Owner, type SharedPart } from './shared-parts.js';

/** The memory of all parts that any thread still has, also of those that were dropped and that a query goes on with. */
export class PartsInUse {
  private readonly parts = new Map<string, { bytes: number; copies: Map<Owner, number> }>();
  private readonly own = new PartCopies(id => this.freed(id, this));
  private total = 0;

  get bytes(): number {
    return this.total;
  }

  /** A thread has loaded the part, and the main thread has been given a copy. */
  loaded(part: SharedPart, by: Owner): void {
    const bytes = bytesOf(part.record);
    if (bytes === 0) return;
    this.parts.set(part.id, { bytes, copies: new Map() });
    this.total += bytes;
    this.given(part, by);
    this.given(part, this);
    this.own.watch(part);
  }

  /** A thread has been given a copy. */
  given({ id }: SharedPart, to: Owner): void {
    const copies = this.parts.get(id)?.copies;
    copies?.set(to, (copies.get(to) ?? 0) + 1);
  }

  /** A copy of this owner is gone. */
  freed(id: string, by: Owner): void {
    const copies = this.parts.get(id)?.copies;
    const left = (copies?.get(by) ?? 0) - 1;
    if (left > 0) copies?.set(by, left);
    else this.forget(id, by);
  }

  /** A thread has ended, with all its copies. */
  ended(by: Owner): void {
    for (const id of [...this.parts.keys()]) this.forget(id, by);
  }

  private forget(id: string, by: Owner): void {
    const part = this.parts.get(id);
    part?.copies.delete(by);
    if (!part || part.copies.size > 0) return;
    this.parts.delete(id);
    this.total -= part.bytes;
  }
}
