// A worker's whole program: it answers each request in its turn.
import type { ColourRequest } from './coloured.ts';
import { colour } from './highlight.ts';

self.addEventListener('message', ({ data }: MessageEvent<ColourRequest | 'start'>) => {
	self.postMessage(data === 'start' ? 'started' : colour(data));
});
