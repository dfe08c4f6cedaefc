import './storages.spec.js';
