/** The results of earlier requests to one provider for one model. */
export interface Measured {
	/** Seconds until the first chunk, or undefined if there is no recent measurement. */
	latency: number | undefined;
	/** Tokens per second, or undefined if there is no recent measurement. */
	throughput: number | undefined;
	/** A number from 0 (only failures recently) to 1. */
	uptime: number;
	/** True if the provider failed a moment ago or asked for a pause. */
	isResting: boolean;
	/** True if a request was sent there a moment ago, which may still yield a measurement. */
	isBeingTried: boolean;
}

/** The time after which a measurement has half the weight of a new one. */
const HALF_LIFE_MS = 5 * 60_000;
/**
 * The half-life of successes and failures. It is shorter, so that a provider that works again is not avoided for long.
 */
const FAILURE_HALF_LIFE_MS = 60_000;
/**
 * A measurement with less weight than this, reached about 17 minutes after the last one, says nothing about the
 * present.
 */
const LEAST_WEIGHT = 0.1;
const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 60_000;
const TRY_MS = 15_000;

/** A mean in which older samples have less weight. */
class DecayingMean {
	private value = 0;
	private weight = 0;
	private at = 0;

	add(sample: number, now: number): void {
		const weight = this.weightAt(now);
		this.value = (this.value * weight + sample) / (weight + 1);
		this.weight = weight + 1;
		this.at = now;
	}

	read(now: number): number | undefined {
		return this.weightAt(now) < LEAST_WEIGHT ? undefined : this.value;
	}

	private weightAt(now: number): number {
		return this.weight * 2 ** (-(now - this.at) / HALF_LIFE_MS);
	}
}

/** The measurements of the requests to one provider for one model. */
class ServiceRecord {
	private readonly latency = new DecayingMean();
	private readonly throughput = new DecayingMean();
	private successes = 0;
	private failures = 0;
	private countedAt = 0;
	private failuresInARow = 0;
	private restingUntil = 0;
	private triedAt = Number.NEGATIVE_INFINITY;

	read(now: number): Measured {
		return {
			latency: this.latency.read(now),
			throughput: this.throughput.read(now),
			uptime: this.uptime(now),
			isResting: now < this.restingUntil,
			isBeingTried: now - this.triedAt < TRY_MS,
		};
	}

	tried(now: number): void {
		this.triedAt = now;
	}

	/**
	 * Must be called when the first chunk has arrived. That is not a success yet: otherwise a provider that always fails
	 * after it would look reliable.
	 */
	answered(latencySeconds: number, now: number): void {
		this.latency.add(latencySeconds, now);
	}

	/** Must be called when the throughput of a whole reply is known. */
	generated(tokensPerSecond: number, now: number): void {
		this.throughput.add(tokensPerSecond, now);
	}

	/** Must be called when a reply has been read, either to its end or until the client stopped reading. */
	served(now: number): void {
		this.decay(now);
		this.successes++;
		this.failuresInARow = 0;
		this.restingUntil = 0;
	}

	failed(now: number, retryAfterMs?: number): void {
		this.decay(now);
		this.failures++;
		const restMs = retryAfterMs ?? FIRST_REST_MS * 2 ** Math.min(10, this.failuresInARow);
		this.failuresInARow++;
		this.restingUntil = now + Math.min(LONGEST_REST_MS, restMs);
	}

	/** One success is assumed in advance, so that a single failure does not reduce the uptime to 0. */
	private uptime(now: number): number {
		this.decay(now);
		return (this.successes + 1) / (this.successes + this.failures + 1);
	}

	private decay(now: number): void {
		const factor = 2 ** (-(now - this.countedAt) / FAILURE_HALF_LIFE_MS);
		this.successes *= factor;
		this.failures *= factor;
		this.countedAt = now;
	}
}

/**
 * Latency, throughput and uptime by provider and model. Old measurements decay, so that every provider gets a new
 * chance.
 */
export class Measurements {
	private readonly records = new Map<string, ServiceRecord>();

	of(slug: string, model: string): ServiceRecord {
		const name = `${slug} ${model}`;
		const record = this.records.get(name) ?? new ServiceRecord();
		this.records.set(name, record);
		return record;
	}
}
