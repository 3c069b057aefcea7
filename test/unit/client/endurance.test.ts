import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beginEvents, FaultServer } from '../../support/faultServer.ts';
import { chunk } from './chatWire.ts';

const MEGABYTE = 1024 * 1024;
const program = fileURLToPath(new URL('../../support/misbehaviourEndurance.ts', import.meta.url));

describe('10,000 streams, opened and aborted', () => {
	for (const transport of ['fetch', 'undici']) {
		it(`leave no handle and no memory (${transport})`, async () => {
			let open = 0;
			const server = await FaultServer.start((response, { closed }) => {
				open++;
				void closed.then(() => open--);
				server.received.length = 0;
				beginEvents(response);
				response.write(chunk({ content: 'a' }));
			});
			try {
				const options = ['--expose-gc', '--disable-warning=ExperimentalWarning', program];
				const { stdout } = await promisify(execFile)(process.execPath, [...options, server.origin, transport, '10000']);
				const { grown, left } = JSON.parse(stdout) as { grown: number; left: string[] };
				assert.deepEqual(left, []);
				assert.ok(grown < 4 * MEGABYTE, `${grown} bytes more after 9,000 further streams`);
				assert.equal(open, 0);
			} finally {
				await server.stop();
			}
		}).timeout(60_000);
	}
});
