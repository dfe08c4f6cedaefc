import './watches-checks.e2e-spec.js';
