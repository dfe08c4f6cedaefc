import './bring-forward.spec.js';
