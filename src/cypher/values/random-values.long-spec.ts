import './random-values.spec.js';
