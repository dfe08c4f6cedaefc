import './limits-buckets.e2e-spec.js';
