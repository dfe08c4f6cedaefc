import './check-growth.spec.js';
