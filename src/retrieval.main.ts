import { rmSync } from 'node:fs';
import { createLog } from './common/logging/log.js';
import { InvalidSettingsError } from './config/settings-reader.js';
import { findListenConflicts } from './config/retrieval-conflicts.js';
import { loadSettings } from './config/settings.js';
import { misspeltWarnings } from './config/start-warnings.js';
import { deriveUrl, withLoginOf } from './database/roles/database-access.js';
import { endOnFault } from './process/process-end.js';
import { serveRetrieval } from './retrieval/process/serve-retrieval.js';
import { type RetrievalStart } from './retrieval/retrieval-start.js';
import { readTlsFiles } from './retrieval/tls-material.js';
import { joined } from './text/bilingual.js';

/**
 * The entry point of the retrieval process. As a child of the API it gets its settings over IPC, and ends when the IPC channel closes, even
 * if the API was ended by `kill -9`. A process that is deployed apart reads its settings from the environment.
 */
async function main(): Promise<void> {
  const start = process.send ? await startFromParent() : startFromEnvironment();
  const log = createLog(start.logLevel, { name: 'retrieval', secrets: start.secrets });
  endOnFault(log, () => undefined);
  const { close } = await serveRetrieval({ ...start, threadEntry: new URL('./retrieval.thread.js', import.meta.url), log });
  process.send?.('listening');
  log.debug({ listen: start.listen }, 'listening');
  const stop = (): void => {
    close(start.shutdownSeconds * 1000).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', stop);
  // A child of the API ignores Ctrl-C, which reaches the whole process group: the API still needs the child until its own last request is
  // done.
  process.on('SIGINT', process.send ? () => undefined : stop);
}

function startFromParent(): Promise<RetrievalStart> {
  return new Promise(resolve =>
    process.once('message', message => {
      const start = message as RetrievalStart;
      process.on('disconnect', () => {
        rmSync(start.listen, { force: true });
        process.exit(0);
      });
      resolve(start);
    }),
  );
}

function startFromEnvironment(): RetrievalStart {
  const settings = loadSettings({ servesApi: false });
  for (const warning of misspeltWarnings(settings)) console.error(joined(warning));
  const { databaseUrl: ownerUrl, databaseUrls, databaseReadUrl } = settings;
  const databaseUrl = databaseUrls.retrieval ?? (ownerUrl && deriveUrl(ownerUrl, 'retrieval'));
  const readUrl = databaseReadUrl && databaseUrl ? withLoginOf(databaseReadUrl, databaseUrl) : databaseReadUrl;
  const { material: tls, problems } = readTlsFiles(settings.retrievalTls);
  problems.push(...findListenConflicts(settings.retrievalListen, settings));
  if (databaseUrl === undefined && readUrl === undefined) {
    problems.push(
      'DATABASE_RETRIEVAL_URL: 单独部署检索进程时必须设置它、DATABASE_URL 或 DATABASE_READ_URL / set it, DATABASE_URL or DATABASE_READ_URL, when the retrieval process is deployed apart',
    );
  }
  if (problems.length > 0) throw new InvalidSettingsError(problems);
  return {
    databaseUrl,
    readUrl,
    key: settings.retrievalKey,
    tls,
    listen: settings.retrievalListen,
    memoryMb: settings.retrievalMemoryMb,
    answerMaxBytes: settings.answerMaxBytes,
    snapshotDirectory: settings.retrievalSnapshotDirectory ?? null,
    logLevel: settings.logLevel,
    shutdownSeconds: settings.shutdownSeconds,
    secrets: [...settings.secrets, databaseUrl, readUrl].filter(secret => secret !== undefined),
  };
}

main().catch((error: unknown) => {
  console.error(error instanceof InvalidSettingsError ? error.message : error);
  process.exit(1);
});
