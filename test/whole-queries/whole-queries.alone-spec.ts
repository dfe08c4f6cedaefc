import './whole-queries.e2e-spec.js';
