import './values.e2e-spec.js';
