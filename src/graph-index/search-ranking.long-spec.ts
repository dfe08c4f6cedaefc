import './search-ranking.spec.js';
