import { type FileSource, type Outcome, type Readers, type Work } from '../protocol.js';
import { describe, find, list, listNames, test } from './catalog.js';
import { writeRows } from './rows.js';
import { Source } from './source.js';
import { query, sample } from './statement.js';
import { toFailure, UnreadableFileError } from './work-error.js';

/**
 * Opens the files, does the work and closes the files. The result is refused if one of the files changed meanwhile.
 * @param known the SQL readers that earlier work found
 */
export async function doWork(files: FileSource, work: Work, known: Readers): Promise<Outcome> {
  let found: Readers = {};
  try {
    const source = await Source.open(files, known);
    found = source.found;
    try {
      const done = await run(source, work);
      await source.requireUnchanged();
      await source.release();
      return { done, found };
    } catch (error) {
      source.end();
      await source.requireUnchanged();
      throw work.do === 'query' ? withoutFile(source.ofRows(error)) : source.ofRows(error);
    }
  } catch (error) {
    return { failed: toFailure(error), found };
  }
}

/** Removes the name of the file from an error: users who may run a statement need not be allowed to see the names of files. */
function withoutFile(error: unknown): unknown {
  const place = error instanceof UnreadableFileError ? error.more.unreadable : undefined;
  return place ? new UnreadableFileError({ ...place, file: null }, error) : error;
}

function run(source: Source, work: Work): Promise<unknown> {
  switch (work.do) {
    case 'test':
      return test(source);
    case 'names':
      return listNames(source);
    case 'list':
      return list(source, work);
    case 'find':
      return find(source, work.table);
    case 'describe':
      return describe(source, work.table);
    case 'query':
      return query(source, work);
    case 'sample':
      return sample(source, work);
    case 'rows':
      return writeRows(source, work);
  }
}
