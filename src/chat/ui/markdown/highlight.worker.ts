// The program of the worker. It answers its requests one after another.
import { type HighlightRequest, highlight } from './highlight.ts';

self.addEventListener('message', ({ data }: MessageEvent<HighlightRequest | 'start'>) => {
	self.postMessage(data === 'start' ? 'started' : highlight(data));
});
