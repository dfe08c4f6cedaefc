import './cypher-differential.e2e-spec.js';
