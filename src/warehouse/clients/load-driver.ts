import { DriverNotInstalledError } from '../warehouse.errors.js';

/**
 * Loads the driver of a connection type when the first connection of that type is opened, because drivers are optional packages.
 * @throws DriverNotInstalledError
 */
export async function loadDriver<T>(type: string, driver: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    // MODULE_NOT_FOUND is the code of a CommonJS loader.
    if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    throw new DriverNotInstalledError(type, driver, cause);
  }
}
