import './page.css';
import type { PageData, ToPage } from '../protocol/protocol.ts';
import { ChatApp } from './components/chatApp.ts';
import type { PageHost } from './page.ts';
import { WindowCopy } from './windowCopy.ts';

declare function acquireVsCodeApi(): PageHost;

const host = acquireVsCodeApi();
const { strings, language, state, place } = JSON.parse(
	document.getElementById('page-data')?.textContent ?? '',
) as PageData;

const app = new ChatApp();
app.strings = strings;
app.language = language;
app.host = host;
app.kept = state;
app.copy = new WindowCopy(place);
// All of the page is its content; a screen reader finds it as such, and its first heading in it.
app.role = 'main';
document.body.append(app);

// Only the editor can post here: the page embeds nothing, and nothing of another origin embeds it.
window.addEventListener('message', (event: MessageEvent<ToPage>) => app.receive(event.data));
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
