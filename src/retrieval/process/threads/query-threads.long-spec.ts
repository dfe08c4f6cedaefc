import './query-threads.spec.js';
