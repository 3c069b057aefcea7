import assert from 'node:assert/strict';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { openChat } from '../support/errandWindow.ts';
import { allowOnly, askAndRead, choosePreset } from '../support/routingPolicy.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';

const PIECES = Array.from({ length: 12 }, (_, index) => `word${index} `);

/** How the providers differ. A machine that stands still while one of them answers measures it wrong. */
const SPEEDS = {
	soon: { pieces: PIECES, pauseMs: 80 },
	rapid: { pieces: PIECES, firstMs: 500, pauseMs: 4 },
};

describe('the policy of a conversation that goes by measured times', () => {
	const upstreams: UpstreamServer[] = [];
	let server: EditorServer;

	after(async () => {
		await server?.stop();
		await Promise.all(upstreams.map(upstream => upstream.stop()));
	});

	it('sends to the provider that begins soonest, and to the fastest', async () => {
		const settings: Record<string, unknown> = { ollama: false };
		for (const [slug, behaviour] of Object.entries(SPEEDS)) {
			const upstream = await UpstreamServer.start(behaviour);
			upstreams.push(upstream);
			settings[slug] = { url: upstream.url };
		}
		server = await startEditor({ settings: { 'errand.chat.model': 'small', 'errand.local.upstreams': settings } });
		const { page } = await openWindow(server);
		const frame = await openChat(page);
		for (const slug of Object.keys(SPEEDS)) {
			await allowOnly(page, frame, slug);
			assert.match(await askAndRead(frame, `Only ${slug}?`), new RegExp(`via ${slug}`));
		}
		for (const [preset, slug] of Object.entries({ 'Lowest latency': 'soon', Fastest: 'rapid' })) {
			await choosePreset(page, frame, preset);
			await frame.getByRole('button', { name: `Select Routing Policy: ${preset}` }).waitFor();
			assert.match(await askAndRead(frame, `${preset}?`), new RegExp(`via ${slug}`));
		}
	});
});
