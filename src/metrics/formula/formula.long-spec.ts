import './formula.spec.js';
