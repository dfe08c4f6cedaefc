import './graph-sync-random.e2e-spec.js';
