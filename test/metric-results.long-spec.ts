import './metric-results.e2e-spec.js';
