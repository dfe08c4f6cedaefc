import './graph-values.e2e-spec.js';
