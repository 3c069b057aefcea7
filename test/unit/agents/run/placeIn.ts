import path from 'node:path';
import type { PlaceOptions } from '../../../../src/agents/run/runPlace.ts';

/** A place without a sandbox, with its folders in `folder`. */
export function placeIn(folder: string): PlaceOptions {
	return {
		tree: path.join(folder, 'tree'),
		home: path.join(folder, 'home'),
		folder,
		name: 'sample',
		isSandboxed: false,
		privateFolders: [],
		insideProgram: '',
		marker: folder,
	};
}
