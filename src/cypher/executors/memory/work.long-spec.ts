import './work.spec.js';
