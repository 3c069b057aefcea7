/** esbuild puts what is imported into the page's own style sheet. */
declare module '*.css';
