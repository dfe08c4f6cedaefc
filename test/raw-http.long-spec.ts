import './raw-http.e2e-spec.js';
