import './foreign-runs.e2e-spec.js';
