import { type ConnectionRight, declareAccess, type KeyPermission } from '../../access/access.decorator.js';

/** Open to admins, to users with this right on the connection `id` of the path, and to API keys with that permission. */
export const ConnectionAccess = (right: ConnectionRight, { keys = false }: { keys?: KeyPermission | false } = {}) =>
  declareAccess({ kind: 'connection', right, keys }, `${right} on the connection${keys ? `, or a key with ${keys}` : ''}`);
