/** One provider's offer of one model. An absent policy cannot be established. */
export interface Hosting {
	provider: string;
	price: number;
	/** Tokens per second. */
	throughput: number;
	/** Seconds to the first token. */
	latency: number;
	uptime: number;
	quantization: string;
	zeroDataRetention?: boolean;
	storesData?: boolean;
	/** The request fields that this hosting does not support. */
	unsupported?: string[];
	isDown?: boolean;
}

export type ModelKind = 'chat' | 'responses' | 'image' | 'search' | 'encrypted';

export interface FixtureModel {
	id: string;
	label: string;
	vendor: string;
	kinds: ModelKind[];
	contextLength: number;
	maxOutputTokens: number;
	openWeights: boolean;
	codeOriented?: boolean;
	tools?: boolean;
	images?: boolean;
	channelProvider?: string;
	hostings: Hosting[];
}

/** `numbers` are price, throughput, latency and uptime. */
export function hosting(
	provider: string,
	numbers: [number, number, number, number],
	quantization: string,
	more: Partial<Hosting>,
): Hosting {
	const [price, throughput, latency, uptime] = numbers;
	return { provider, price, throughput, latency, uptime, quantization, ...more };
}
