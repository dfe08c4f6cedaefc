import { createLog } from '../../src/common/logging/log.js';
import { DatabaseAccess } from '../../src/database/roles/database-access.js';
import { RetrievalDatabase } from '../../src/retrieval/process/retrieval-database.js';
import { type TestApp } from './app.js';

/** The most connections of a database that `retrievalDatabaseOf` opens. */
export const mostConnections = 6;

/** Opens the database of an application with only the rights of the retrieval process. */
export function retrievalDatabaseOf({ app }: TestApp): RetrievalDatabase {
  const { retrieval: databaseUrl } = app.get(DatabaseAccess);
  return RetrievalDatabase.open({ databaseUrl }, mostConnections, 16_000_000, createLog('error'));
}
