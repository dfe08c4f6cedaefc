import './watches-rights.e2e-spec.js';
