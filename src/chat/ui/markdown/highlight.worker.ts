// The program of the worker, which answers its requests one after another.
import type { ColourRequest } from './coloured.ts';
import { colour } from './highlight.ts';

self.addEventListener('message', ({ data }: MessageEvent<ColourRequest | 'start'>) => {
	self.postMessage(data === 'start' ? 'started' : colour(data));
});
