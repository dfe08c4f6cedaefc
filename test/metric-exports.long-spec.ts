import './metric-exports.e2e-spec.js';
