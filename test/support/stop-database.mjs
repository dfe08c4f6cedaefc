import { rm } from 'node:fs/promises';

export default async function stopDatabase() {
  const { server, dataDirectory } = globalThis.testDatabase;
  await server.stop();
  await rm(dataDirectory, { recursive: true, force: true });
}
