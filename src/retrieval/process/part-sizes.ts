/** Keeps the size in bytes of each part that was loaded, for the newest version of each graph. */
export class PartSizes {
  private readonly graphs = new Map<number, { version: number; bytes: Map<string, number> }>();

  note({ graphId, version, name }: { graphId: number; version: number; name: string }, bytes: number): void {
    const known = this.graphs.get(graphId);
    if (known && known.version > version) return;
    if (known?.version === version) known.bytes.set(name, bytes);
    else this.graphs.set(graphId, { version, bytes: new Map([[name, bytes]]) });
  }

  /** The bytes of the named parts of a version together; parts that were never loaded count as 0. */
  sum({ graphId, version }: { graphId: number; version: number }, names: string[]): number {
    const known = this.graphs.get(graphId);
    return known?.version === version ? names.reduce((sum, name) => sum + (known.bytes.get(name) ?? 0), 0) : 0;
  }
}
