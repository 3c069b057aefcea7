/** The program of a worker, bundled, as text: a page of the editor may start one from a blob and from nowhere else. */
declare module '*?code' {
	export const code: string;
}
