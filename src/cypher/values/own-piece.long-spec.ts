import './own-piece.spec.js';
