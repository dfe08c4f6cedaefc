import './references.e2e-spec.js';
