import './hostile-server.spec.js';
