import './random-hours.spec.js';
