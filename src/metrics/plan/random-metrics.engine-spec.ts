import './random-metrics.spec.js';
