import './database-pulse.spec.js';
