import './graph-in-memory.spec.js';
