/** esbuild puts imported style sheets into the page's own. */
declare module '*.css';
