/** The version of this release. It must equal the one in `package.json`. */
export const version = '0.4.0';
