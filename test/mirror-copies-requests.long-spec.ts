import './mirror-copies-requests.e2e-spec.js';
