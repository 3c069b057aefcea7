import process from 'node:process';
import { contend, parameters } from './contender.ts';
import { chat, hostFetch, type Latency, latency, ours, rawSocket } from './firstToken.ts';
import { openPeer, type PeerName } from './peers.ts';

const { contender, address } = parameters<{ contender: keyof typeof contenders | PeerName; address: string }>();

const contenders = {
	floor: () => rawSocket(address),
	fetch: () => hostFetch(address),
	ours: () => ours(address),
};

async function peer(name: PeerName): Promise<Latency> {
	const read = await openPeer(name);
	return latency(first => read(address, chat, first));
}

const measured =
	contender in contenders ? contenders[contender as keyof typeof contenders] : () => peer(contender as PeerName);
await contend(async () => ({ count: 1, ...(await measured()) }));
process.disconnect();
