import { rm } from 'node:fs/promises';

export default async function stopDatabase() {
  // Tests that run in this process, and not in workers, have left their application here.
  await globalThis[Symbol.for('graph-service shared application')]?.booted.close();
  const { server, dataDirectory } = globalThis.testDatabase;
  await server.stop();
  await rm(dataDirectory, { recursive: true, force: true });
}
