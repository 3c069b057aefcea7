import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import subsetFont from 'subset-font';
import { codiconCodePoints } from '../src/chat/ui/codicon.ts';

/** Reduces the icon font to the icons that the pages show, which are a tenth of it. */
export const iconFont: Plugin = {
	name: 'icon font',
	setup(build) {
		build.onLoad({ filter: /codicon\.ttf$/ }, async ({ path: file }) => ({
			contents: await subsetFont(await readFile(file), String.fromCodePoint(...Object.values(codiconCodePoints)), {
				targetFormat: 'truetype',
			}),
			loader: 'file',
		}));
	},
};
