import './watched-pool.spec.js';
