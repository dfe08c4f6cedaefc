import { DriverNotInstalledError } from '../warehouse.errors.js';

/**
 * Loads the driver of a type when its first connection is opened: drivers are optional packages.
 * @throws DriverNotInstalledError
 */
export async function loadDriver<T>(type: string, driver: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    // The second is what a CommonJS loader says.
    if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    throw new DriverNotInstalledError(type, driver, cause);
  }
}
