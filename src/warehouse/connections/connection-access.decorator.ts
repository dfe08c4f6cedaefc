import { type ConnectionRight, declareAccess, type KeyPermission } from '../../access/access.decorator.js';

/** Opens a route to admins, to users who have `right` on the connection `id` of the path, and to API keys with the permission `keys`. */
export const ConnectionAccess = (right: ConnectionRight, { keys = false }: { keys?: KeyPermission | false } = {}) =>
  declareAccess({ kind: 'connection', right, keys }, `${right} on the connection${keys ? `, or a key with ${keys}` : ''}`);
