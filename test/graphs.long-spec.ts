import './graphs.e2e-spec.js';
