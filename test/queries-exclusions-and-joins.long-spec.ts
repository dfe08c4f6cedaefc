import './queries-exclusions-and-joins.e2e-spec.js';
