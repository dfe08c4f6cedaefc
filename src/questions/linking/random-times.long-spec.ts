import './random-times.spec.js';
