import './unchanged-runs.e2e-spec.js';
