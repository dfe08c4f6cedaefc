import { rmSync } from 'node:fs';
import { createLog } from './common/logging/log.js';
import { InvalidSettingsError } from './config/settings-reader.js';
import { loadSettings } from './config/settings.js';
import { deriveUrl } from './database/roles/database-access.js';
import { endOnFault } from './process/process-end.js';
import { serveRetrieval } from './retrieval/process/serve-retrieval.js';
import { type RetrievalStart } from './retrieval/retrieval-start.js';

/**
 * The entry point of the retrieval process. When the API starts it, it gets its settings over IPC. It ends when the API does, also
 * by `kill -9`, because the channel closes. Deployed apart, it reads the environment.
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
  // Ctrl-C reaches the whole process group, but the API stops its child only after its own last request.
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
  const { databaseUrl: ownerUrl, databaseUrls } = settings;
  if (ownerUrl === undefined && databaseUrls.retrieval === undefined) {
    throw new InvalidSettingsError([
      'DATABASE_RETRIEVAL_URL: 单独部署检索进程时必须设置它或 DATABASE_URL / set it, or DATABASE_URL, when the retrieval process is deployed apart',
    ]);
  }
  const databaseUrl = databaseUrls.retrieval ?? deriveUrl(ownerUrl!, 'retrieval');
  return {
    databaseUrl,
    listen: settings.retrievalListen,
    memoryMb: settings.retrievalMemoryMb,
    answerMaxBytes: settings.answerMaxBytes,
    snapshotDirectory: settings.retrievalSnapshotDirectory ?? null,
    logLevel: settings.logLevel,
    shutdownSeconds: settings.shutdownSeconds,
    secrets: [...settings.secrets, databaseUrl],
  };
}

main().catch((error: unknown) => {
  console.error(error instanceof InvalidSettingsError ? error.message : error);
  process.exit(1);
});
