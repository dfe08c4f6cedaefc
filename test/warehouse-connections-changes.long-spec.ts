import './warehouse-connections-changes.e2e-spec.js';
