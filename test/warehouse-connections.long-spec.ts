import './warehouse-connections.e2e-spec.js';
