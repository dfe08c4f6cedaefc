import './repeated-copies.e2e-spec.js';
