import './read-formula.spec.js';
