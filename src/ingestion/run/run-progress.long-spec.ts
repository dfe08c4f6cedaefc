import './run-progress.spec.js';
