import { createFetchTransport } from '../../../../src/client/core/fetchTransport.ts';
import type { Transport } from '../../../../src/client/core/transport.ts';
import { createUndiciTransport } from '../../../../src/client/core/undiciTransport.ts';

/** Declares the same tests for the transport of the extension host and for the one of programs outside it. */
export function describeWithBothTransports(title: string, declare: (transport: Transport) => void): void {
	describe(`${title} (fetch)`, () => declare(createFetchTransport((url, init) => globalThis.fetch(url, init))));
	describe(`${title} (undici)`, () => {
		const transport = createUndiciTransport();
		after(() => transport.close());
		declare(transport);
	});
}
