import './queries-times-and-numbers.e2e-spec.js';
