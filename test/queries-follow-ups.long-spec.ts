import './queries-follow-ups.e2e-spec.js';
