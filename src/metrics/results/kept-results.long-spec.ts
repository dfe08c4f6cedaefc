import './kept-results.spec.js';
