import { randomBytes } from 'node:crypto';
import type { Uri, Webview } from 'vscode';

/** Everything a page may load from: its bundle. */
export function webviewRoot(extensionUri: Uri): Uri {
	return below(extensionUri, 'dist/webview');
}

export interface WebviewShellOptions {
	extensionUri: Uri;
	/** `dist/webview/<name>.js` and `dist/webview/<name>.css` are the page. */
	name: string;
	title: string;
	/** BCP 47, for `lang`. */
	language: string;
	/** JSON for the page, in the script element `#page-data`. */
	data: unknown;
	/** Whether the page shows images that the host hands to it as `data:` addresses. */
	dataImages?: boolean;
}

/**
 * The page of a webview: nothing runs but its own script, by nonce; nothing loads but its own style sheet and font;
 * it has no way to the network. An image can only come from the host.
 */
export function webviewShell(
	webview: Pick<Webview, 'asWebviewUri' | 'cspSource'>,
	options: WebviewShellOptions,
): string {
	const nonce = randomBytes(16).toString('base64');
	const root = webviewRoot(options.extensionUri);
	const address = (file: string) => escapeHtml(webview.asWebviewUri(below(root, file)).toString());
	const policy = [
		"default-src 'none'",
		`script-src 'nonce-${nonce}'`,
		`style-src ${webview.cspSource}`,
		`font-src ${webview.cspSource}`,
		...(options.dataImages ? ['img-src data:'] : []),
		"base-uri 'none'",
		"form-action 'none'",
	].join('; ');
	// `</script>` inside the data would end its element; `<` has no other use in JSON than inside strings.
	const data = JSON.stringify(options.data).replaceAll('<', '\\u003c');
	return `<!DOCTYPE html>
<html lang="${escapeHtml(options.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(options.title)}</title>
<link rel="stylesheet" href="${address(`${options.name}.css`)}">
<script type="application/json" id="page-data" nonce="${nonce}">${data}</script>
<script type="module" nonce="${nonce}" src="${address(`${options.name}.js`)}"></script>
</head>
<body></body>
</html>
`;
}

function below(uri: Uri, path: string): Uri {
	return uri.with({ path: `${uri.path.replace(/\/$/, '')}/${path}` });
}

function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
