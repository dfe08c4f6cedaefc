import { type FileSource, type Reply, type Work } from '../protocol.js';
import { describe, find, list, listNames, test } from './catalog.js';
import { writeRows } from './rows.js';
import { Source } from './source.js';
import { query, sample } from './statement.js';
import { toFailure } from './work-error.js';

/** Opens the files, does the work and closes the files. The result is refused if one of these files changed meanwhile. */
export async function doWork(files: FileSource, work: Work): Promise<Reply> {
  try {
    const source = await Source.open(files);
    try {
      const done = await run(source, work);
      await source.requireUnchanged();
      await source.release();
      return { done };
    } catch (error) {
      source.end();
      await source.requireUnchanged();
      throw error;
    }
  } catch (error) {
    return { failed: toFailure(error) };
  }
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
