import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beginEvents, FaultServer } from '../../support/faultServer.ts';
import { chunk } from './chatWire.ts';

const MEGABYTE = 1024 * 1024;
const program = fileURLToPath(new URL('../../support/misbehaviourEndurance.ts', import.meta.url));

describe('5,000 streams, opened and aborted', () => {
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
				const { stdout } = await promisify(execFile)(process.execPath, [...options, server.origin, transport, '5000']);
				const { grown, left } = JSON.parse(stdout) as { grown: number; left: string[] };
				assert.deepEqual(left, []);
				assert.ok(grown < 2.5 * MEGABYTE, `${grown} bytes more after 4,500 further streams`);
				assert.equal(open, 0);
			} finally {
				await server.stop();
			}
		});
	}
});
