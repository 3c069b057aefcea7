import assert from 'node:assert/strict';
import { placeInside, type RunPlace } from '../../../../src/agents/run/runPlace.ts';
import { placeIn } from './placeIn.ts';

describe('the description of its place for an agent', () => {
	const place: RunPlace = {
		...placeIn('/srv/run'),
		relay: undefined,
		toolchains: { path: '/opt/tools/bin', readOnly: [], variables: {} },
	};

	it('is the host’s without a sandbox, with the PATH of this process', () => {
		const seen = placeInside(place);
		assert.deepEqual([seen.tree, seen.home, seen.relayUrl], ['/srv/run/tree', '/srv/run/home', '']);
		assert.notEqual(seen.path, '');
	});

	it('is nothing of the host in a sandbox', () => {
		assert.deepEqual(placeInside({ ...place, isSandboxed: true }), {
			tree: '/workspace/sample',
			home: '/home/agent',
			path: '/opt/tools/bin',
			relayUrl: '',
		});
	});
});
