import './queries-search-and-cypher.e2e-spec.js';
