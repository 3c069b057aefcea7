/** esbuild adds imported style sheets to the page's own. */
declare module '*.css';
