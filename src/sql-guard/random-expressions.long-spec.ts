import './random-expressions.spec.js';
