// The chat's page. It can reach neither the network nor a file: every action of a reply goes through the host. A reply
// can be written to make a grammar slow, so a worker highlights its code, and is terminated when it misses its
// deadline; the block then stays plain. The worker's program is a text in its own chunk that runs from a blob, the only
// way that a webview offers.
import './page.css';
import * as l10n from '@vscode/l10n';
import type { PageData, ToPage } from '../protocol/protocol.ts';
import { ChatApp } from './components/chatApp.ts';
import { chordListener, selectAllAtOnce } from './editorKeys.ts';
import { HostRequests } from './hostRequests.ts';
import { CodeHighlighter } from './markdown/codeHighlighter.ts';
import type { PageHost } from './page.ts';
import { WindowCopy } from './stateKeeper.ts';

declare function acquireVsCodeApi(): PageHost;

const host = acquireVsCodeApi();
const {
	bundle = {},
	language,
	state,
	place,
} = JSON.parse(document.getElementById('page-data')?.textContent ?? '') as PageData;

l10n.config({ contents: bundle });
const app = new ChatApp();
app.host = host;
app.page = {
	language,
	post: host.postMessage,
	requests: new HostRequests(host.postMessage),
	highlighter: new CodeHighlighter(),
};
app.kept = state;
app.copy = new WindowCopy(place);
// The whole page is main content, so that screen readers find it and its first heading.
app.role = 'main';
document.body.append(app);

// Only the editor can post messages here, because the page has no frames and no other origin embeds it.
window.addEventListener('message', (event: MessageEvent<ToPage>) => app.receive(event.data));
document.addEventListener('keydown', selectAllAtOnce);
document.addEventListener('keydown', chordListener());
const tellFocus = () => host.postMessage({ kind: 'focus-set', focused: document.hasFocus() });
window.addEventListener('focus', tellFocus);
window.addEventListener('blur', tellFocus);
for (const [target, name] of [
	[window, 'blur'],
	[window, 'pagehide'],
	[document, 'visibilitychange'],
] as const) {
	target.addEventListener(name, () => app.keeper.flush());
}
app.updateComplete.then(() => app.missing.begin());
