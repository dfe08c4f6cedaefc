import './webhooks-requests.e2e-spec.js';
