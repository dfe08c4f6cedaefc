import './run-shares.e2e-spec.js';
