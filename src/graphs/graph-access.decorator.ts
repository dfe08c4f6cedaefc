import { declareAccess, type GraphRole, type GraphSource } from '../access/access.decorator.js';

/** Opens a route to the owner of the request's graph, to members of the graph with this role or a higher role, and to admins. */
export const GraphAccess = (role: GraphRole | 'owner', source: GraphSource = { of: 'graph', param: 'id' }, { keys = true } = {}) =>
  declareAccess({ kind: 'graph', role, source, keys }, `${role} of the graph`);
