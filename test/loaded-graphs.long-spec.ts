import './loaded-graphs.e2e-spec.js';
