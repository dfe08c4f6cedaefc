import './run-progress.e2e-spec.js';
