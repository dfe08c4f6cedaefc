import { createHash } from 'node:crypto';
import { version } from '../config/version.js';
import { migrations } from '../database/migrations/migrations.js';
import { type Entry, readArchive } from './archive.js';
import { BackupDamagedError, BackupIsNewerError } from './backup.errors.js';
import { findManifestFault, findSummaryFault, formatVersion, type Manifest, type Summary } from './manifest.js';

export const manifestName = 'manifest.json';
export const summaryName = 'summary.json';

/** The name of the archive entry with a piece of a table's rows. Tables are numbered, because table names may hold any character. */
export function entryName(table: number, piece: number): string {
  return `tables/${String(table).padStart(6, '0')}/${String(piece).padStart(8, '0')}.copy`;
}

/** Reads a backup from its beginning to its end, and checks the backup while reading. */
export class BackupReader {
  private readonly read: Summary['tables'] = [];

  private constructor(
    private readonly file: string,
    readonly manifest: Manifest,
    private readonly manifestSha256: string,
    private readonly entries: AsyncGenerator<Entry>,
    private next: Entry | undefined,
  ) {}

  /** @throws BackupDamagedError, BackupIsNewerError, BackupFileUnusableError */
  static async open(file: string): Promise<BackupReader> {
    const entries = readArchive(file);
    const first = (await entries.next()).value as Entry | undefined;
    if (first?.name !== manifestName) throw new BackupDamagedError(file, 'no manifest');
    const manifest = parse(first.body);
    const fault = findManifestFault(manifest);
    if (fault !== null) throw new BackupDamagedError(file, fault);
    const { format, release } = manifest as Manifest;
    if (format > formatVersion) throw new BackupIsNewerError(release, version);
    const sha256 = createHash('sha256').update(first.body).digest('hex');
    return new BackupReader(file, manifest as Manifest, sha256, entries, (await entries.next()).value as Entry | undefined);
  }

  /**
   * Reads a whole backup only to check it. @returns the manifest and the summary of the backup
   * @throws BackupDamagedError, BackupIsNewerError, BackupFileUnusableError
   */
  static async check(file: string): Promise<{ manifest: Manifest; summary: Summary }> {
    const reader = await BackupReader.open(file);
    for (const index of reader.manifest.tables.keys()) for await (const piece of reader.rows(index)) void piece;
    const summary = await reader.end();
    const { manifest } = reader;
    const known = migrations.map(({ name }) => name);
    if (manifest.migrations.some(name => !known.includes(name))) throw new BackupIsNewerError(manifest.release, version);
    const isInOrder = manifest.migrations.every((name, index) => name === known[index]);
    if (!isInOrder || manifest.migrations.length === 0) throw new BackupDamagedError(file, 'migrations out of order');
    return { manifest, summary };
  }

  /** The rows of a table, as COPY wrote them. Call this method once for each table, in the order of the manifest. */
  async *rows(table: number): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    let bytes = 0;
    for (let piece = 0; this.next?.name === entryName(table, piece); piece++) {
      const { body } = this.next;
      hash.update(body);
      bytes += body.length;
      yield body;
      this.next = (await this.entries.next()).value as Entry | undefined;
    }
    this.read.push({ rows: 0, bytes, sha256: hash.digest('hex') });
  }

  /** Compares the rows that were read with the checksums at the end of the file. @throws BackupDamagedError */
  async end(): Promise<Summary> {
    const damaged = (detail: string): BackupDamagedError => new BackupDamagedError(this.file, detail);
    if (this.next?.name !== summaryName) throw damaged('rows are missing or out of order');
    const summary = parse(this.next.body);
    const fault = findSummaryFault(summary, this.manifest.tables.length);
    if (fault !== null) throw damaged(fault);
    const { manifest_sha256: manifestSha256, tables } = summary as Summary;
    if (manifestSha256 !== this.manifestSha256) throw damaged('the manifest was changed');
    for (const [index, { bytes, sha256 }] of tables.entries()) {
      const found = this.read[index];
      if (found?.bytes === bytes && found.sha256 === sha256) continue;
      throw damaged(`the rows of table ${this.manifest.tables[index]!.name} were changed`);
    }
    if (!(await this.entries.next()).done) throw damaged('more follows its end');
    return summary as Summary;
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
