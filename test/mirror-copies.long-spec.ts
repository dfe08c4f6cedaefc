import './mirror-copies.e2e-spec.js';
