import './labels-and-values-random.e2e-spec.js';
