import './warehouse-connections-reads.e2e-spec.js';
