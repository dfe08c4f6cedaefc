import { bytesOf } from '../../../graph-index/shared-arrays.js';
import { PartCopies } from './part-copies.js';
import { type Owner, type SharedPart } from './shared-parts.js';

/** The memory of all parts of which any thread still has a copy, including dropped parts that a query still uses. */
export class PartsInUse {
  private readonly parts = new Map<string, { bytes: number; copies: Map<Owner, number> }>();
  private readonly own = new PartCopies(id => this.freed(id, this));
  private total = 0;

  get bytes(): number {
    return this.total;
  }

  /** Notes that a thread has loaded the part, and that the main thread has got a copy of it. */
  loaded(part: SharedPart, by: Owner): void {
    const bytes = bytesOf(part.record);
    if (bytes === 0) return;
    this.parts.set(part.id, { bytes, copies: new Map() });
    this.total += bytes;
    this.given(part, by);
    this.given(part, this);
    this.own.watch(part);
  }

  /** Notes that a thread has got a copy of the part. */
  given({ id }: SharedPart, to: Owner): void {
    const copies = this.parts.get(id)?.copies;
    copies?.set(to, (copies.get(to) ?? 0) + 1);
  }

  /** Notes that a copy of this owner is gone. */
  freed(id: string, by: Owner): void {
    const copies = this.parts.get(id)?.copies;
    const left = (copies?.get(by) ?? 0) - 1;
    if (left > 0) copies?.set(by, left);
    else this.forget(id, by);
  }

  /** Notes that a thread has ended, with all its copies. */
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
