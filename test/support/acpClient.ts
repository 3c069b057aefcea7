import { Readable, Writable } from 'node:stream';
import { type ClientContext, type client, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import type { startChild } from '../../src/base/childProcess.ts';

/** Connects a client to an agent by the agent's standard streams, agrees on the protocol, and lets `use` go on. */
export function connectClient<T>(
	app: ReturnType<typeof client>,
	{ stdin, stdout }: Pick<ReturnType<typeof startChild>, 'stdin' | 'stdout'>,
	use: (context: ClientContext) => Promise<T>,
): Promise<T> {
	const stream = ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout as Readable) as ReadableStream<Uint8Array>);
	return app.connectWith(stream, async context => {
		await context.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
		return use(context);
	});
}
