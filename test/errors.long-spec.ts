import './errors.e2e-spec.js';
