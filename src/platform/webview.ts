import { randomBytes } from 'node:crypto';
import type { Uri, Webview } from 'vscode';

/** Returns the only folder that a page may load from: that of its bundle. */
export function webviewRoot(extensionUri: Uri): Uri {
	return below(extensionUri, 'dist/webview');
}

export interface WebviewShellOptions {
	extensionUri: Uri;
	/** The page consists of `dist/webview/<name>.js` and `dist/webview/<name>.css`. */
	name: string;
	title: string;
	/** A BCP 47 tag for the `lang` attribute. */
	language: string;
	/** Data for the page, as JSON in the script element `#page-data`. */
	data: unknown;
	/** True if the page shows images that the host provides as `data:` URLs. */
	dataImages?: boolean;
	/** True if the page starts workers from code in its own script. */
	workers?: boolean;
}

/**
 * Returns the page of a webview. Only its own script runs, by nonce; only its own style sheet and font load; it has no
 * access to the network. Images can only come from the host.
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
		...(options.workers ? ['worker-src blob:'] : []),
		"base-uri 'none'",
		"form-action 'none'",
	].join('; ');
	// `</script>` in the data would end the element. JSON has `<` only in strings, where it can be escaped.
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
