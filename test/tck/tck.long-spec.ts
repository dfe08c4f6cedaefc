import './tck.e2e-spec.js';
