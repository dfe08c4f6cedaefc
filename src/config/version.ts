/** Of this release; `package.json` says the same. */
export const version = '0.1.0';
