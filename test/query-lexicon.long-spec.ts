import './query-lexicon.e2e-spec.js';
