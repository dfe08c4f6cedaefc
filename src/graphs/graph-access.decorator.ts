import { declareAccess, type GraphRole, type GraphSource } from '../access/access.decorator.js';

/** Open to the owner of the request's graph, to its members with this role or a higher one, and to admins. */
export const GraphAccess = (role: GraphRole | 'owner', source: GraphSource = { of: 'graph', param: 'id' }, { keys = true } = {}) =>
  declareAccess({ kind: 'graph', role, source, keys }, `${role} of the graph`);
