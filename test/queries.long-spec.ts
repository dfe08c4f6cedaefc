import './queries.e2e-spec.js';
