/** esbuild adds imported style sheets to the page's own. */
declare module '*.css';

/** The bundled program of a worker, as text. A webview can start a worker only from a blob. */
declare module '*?code' {
	export const code: string;
}
