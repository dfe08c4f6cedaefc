import './limits.e2e-spec.js';
